package dev.etcdj.simulation.mutant;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/// The product and the simulation once more, with a mutant's classes in place of the product's.
///
/// Asserts are off in it: the simulation is to notice by itself.
final class MutantLoader extends ClassLoader {
  private static final String OURS = "dev.etcdj.";
  private static final String GENERATED = "dev.etcdj.proto.";

  private final Map<String, byte[]> mutated;

  private MutantLoader(Map<String, byte[]> mutated) {
    super(MutantLoader.class.getClassLoader());
    this.mutated = mutated;
    setDefaultAssertionStatus(false);
  }

  /// @throws AssertionError when a snippet does not occur exactly once, or the result does not
  ///     compile: the product has changed and the mutant must follow
  static MutantLoader of(Mutant mutant) throws IOException {
    Map<String, String> sources = new LinkedHashMap<>();
    for (Mutant.Edit edit : mutant.edits()) {
      String source = sources.get(edit.className());
      if (source == null) {
        source = Files.readString(root().resolve(edit.file()));
      }
      int at = source.indexOf(edit.original());
      if (at < 0 || source.indexOf(edit.original(), at + 1) >= 0) {
        throw new AssertionError(
            mutant + ": expected exactly once in " + edit.file() + ": " + edit.original());
      }
      sources.put(edit.className(), source.replace(edit.original(), edit.replacement()));
    }
    return new MutantLoader(compile(mutant, sources));
  }

  /// The checkout this runs in.
  private static Path root() {
    Path at = Path.of("").toAbsolutePath();
    while (at != null && !Files.isDirectory(at.resolve("raft/src/main/java"))) {
      at = at.getParent();
    }
    if (at == null) {
      throw new AssertionError("run inside a checkout: the product's sources are needed");
    }
    return at;
  }

  private static Map<String, byte[]> compile(Mutant mutant, Map<String, String> sources)
      throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
    String classPath =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path", ""));
    try (StandardJavaFileManager standard = compiler.getStandardFileManager(problems, null, null);
        InMemory files = new InMemory(standard)) {
      List<JavaFileObject> units = new ArrayList<>();
      sources.forEach((name, source) -> units.add(new Source(name, source)));
      boolean compiled =
          compiler
              .getTask(
                  null,
                  files,
                  problems,
                  List.of("-proc:none", "-nowarn", "-classpath", classPath),
                  null,
                  units)
              .call();
      if (!compiled) {
        throw new AssertionError(mutant + " does not compile: " + problems.getDiagnostics());
      }
      return files.classes();
    }
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith(OURS) || name.startsWith(GENERATED)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded != null ? loaded : define(name);
    }
  }

  private Class<?> define(String name) throws ClassNotFoundException {
    byte[] bytes = mutated.get(name);
    if (bytes == null) {
      try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
        if (in == null) {
          throw new ClassNotFoundException(name);
        }
        bytes = in.readAllBytes();
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
    return defineClass(name, bytes, 0, bytes.length);
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String className, String text) {
      super(
          URI.create("string:///" + className.replace('.', '/') + ".java"),
          JavaFileObject.Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }

  private static final class InMemory extends ForwardingJavaFileManager<JavaFileManager> {
    private final Map<String, ByteArrayOutputStream> written = new HashMap<>();

    InMemory(JavaFileManager standard) {
      super(standard);
    }

    @Override
    public JavaFileObject getJavaFileForOutput(
        Location location, String className, JavaFileObject.Kind kind, FileObject sibling) {
      return new SimpleJavaFileObject(
          URI.create("memory:///" + className.replace('.', '/') + ".class"), kind) {
        @Override
        public OutputStream openOutputStream() {
          ByteArrayOutputStream out = new ByteArrayOutputStream();
          written.put(className, out);
          return out;
        }
      };
    }

    Map<String, byte[]> classes() {
      Map<String, byte[]> classes = new HashMap<>();
      written.forEach((name, out) -> classes.put(name, out.toByteArray()));
      return classes;
    }
  }
}
