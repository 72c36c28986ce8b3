/// Faults planted on purpose: `Mutants` lists them, `MutantLoader` builds the product with one,
/// `MutantTest` has the simulation find it.
@NullUnmarked
package dev.etcdj.simulation.mutant;

import org.jspecify.annotations.NullUnmarked;
