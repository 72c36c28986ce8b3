package dev.etcdj.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import dev.etcdj.raft.InvariantViolation;

/// The dependency direction between modules, and the seams: clock, randomness and files enter
/// through constructors and are touched only where this list says so. Loosening a rule takes an
/// ADR.
@AnalyzeClasses(packages = "dev.etcdj", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  private static final String[] JDK = {"java..", "javax..", "jdk..", "org.jspecify.."};

  /// Where real time, randomness, files and threads come in.
  private static final String[] EDGES = {
    "dev.etcdj.server",
    "dev.etcdj.server.main..",
    "dev.etcdj.server.logging..",
    "dev.etcdj.server.agent..",
    "dev.etcdj.client..",
    "dev.etcdj.etcdctl..",
    "dev.etcdj.wal.io.."
  };

  private static final String[] FILES = {
    "dev.etcdj.wal.io..",
    "dev.etcdj.mvcc.backend..",
    "dev.etcdj.mvcc.bbolt..",
    "dev.etcdj.server.durable..",
    "dev.etcdj.server.main..",
    "dev.etcdj.server.metrics..",
    "dev.etcdj.client..",
    "dev.etcdj.etcdctl.."
  };

  @ArchTest
  static final ArchRule RAFT_DEPENDS_ON_NOTHING =
      classes()
          .that()
          .resideInAPackage("dev.etcdj.raft..")
          .should()
          .onlyDependOnClassesThat(
              resideInAnyPackage(JDK).or(resideInAnyPackage("dev.etcdj.raft..")));

  @ArchTest
  static final ArchRule WAL_KNOWS_RAFTS_RECORDS_AND_PROTO =
      classes()
          .that()
          .resideInAPackage("dev.etcdj.wal..")
          .should()
          .onlyDependOnClassesThat(
              resideInAnyPackage(JDK)
                  .or(
                      resideInAnyPackage(
                          "dev.etcdj.wal..",
                          "dev.etcdj.raft.log..",
                          "dev.etcdj.proto..",
                          "com.google.protobuf.."))
                  .or(equivalentTo(InvariantViolation.class)));

  @ArchTest
  static final ArchRule MVCC_KNOWS_PROTO_AND_LMDB =
      classes()
          .that()
          .resideInAPackage("dev.etcdj.mvcc..")
          .should()
          .onlyDependOnClassesThat(
              resideInAnyPackage(JDK)
                  .or(
                      resideInAnyPackage(
                          "dev.etcdj.mvcc..",
                          "dev.etcdj.proto..",
                          "com.google.protobuf..",
                          "org.lmdbjava..")));

  @ArchTest
  static final ArchRule SERVER_KNOWS_NO_CLIENT =
      noClasses()
          .that()
          .resideInAPackage("dev.etcdj.server..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("dev.etcdj.client..", "dev.etcdj.etcdctl..");

  @ArchTest
  static final ArchRule CLIENTS_KNOW_NO_SERVER =
      noClasses()
          .that()
          .resideInAnyPackage("dev.etcdj.client..", "dev.etcdj.etcdctl..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "dev.etcdj.server..", "dev.etcdj.mvcc..", "dev.etcdj.wal..", "dev.etcdj.raft..");

  @ArchTest
  static final ArchRule CLIENT_KNOWS_NO_COMMAND_LINE =
      noClasses()
          .that()
          .resideInAPackage("dev.etcdj.client..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("dev.etcdj.etcdctl..");

  @ArchTest
  static final ArchRule TIME_COMES_IN =
      noClasses()
          .that()
          .resideOutsideOfPackages(EDGES)
          .should()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .callMethod(System.class, "nanoTime")
          .orShould()
          .callMethod(java.time.Instant.class, "now")
          .orShould()
          .callMethod(Thread.class, "sleep", long.class);

  @ArchTest
  static final ArchRule RANDOMNESS_COMES_IN =
      noClasses()
          .that()
          .resideOutsideOfPackages(EDGES)
          .should()
          .callMethod(Math.class, "random")
          .orShould()
          .dependOnClassesThat()
          .haveFullyQualifiedName("java.util.concurrent.ThreadLocalRandom")
          .orShould()
          .dependOnClassesThat()
          .haveFullyQualifiedName("java.security.SecureRandom")
          .orShould()
          .callConstructor(java.util.Random.class)
          .orShould()
          .callMethod(java.util.UUID.class, "randomUUID");

  @ArchTest
  static final ArchRule FILES_ARE_TOUCHED_BEHIND_SEAMS =
      noClasses()
          .that()
          .resideOutsideOfPackages(FILES)
          .should()
          .dependOnClassesThat()
          .haveFullyQualifiedName("java.nio.file.Files")
          .orShould()
          .dependOnClassesThat()
          .haveFullyQualifiedName("java.nio.channels.FileChannel")
          .orShould()
          .dependOnClassesThat()
          .haveFullyQualifiedName("java.io.File")
          .orShould()
          .dependOnClassesThat()
          .haveFullyQualifiedName("java.io.RandomAccessFile");

  @ArchTest
  static final ArchRule CORE_MAKES_NO_THREADS =
      noClasses()
          .that()
          .resideInAnyPackage("dev.etcdj.raft..", "dev.etcdj.wal..", "dev.etcdj.mvcc..")
          .should()
          .dependOnClassesThat()
          .haveFullyQualifiedName("java.util.concurrent.Executors")
          .orShould()
          .callConstructor(Thread.class, Runnable.class)
          .orShould()
          .callMethod(Thread.class, "ofPlatform")
          .orShould()
          .callMethod(Thread.class, "ofVirtual");
}
