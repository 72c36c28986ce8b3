package dev.etcdj.conformance;

import java.util.ArrayList;
import java.util.List;

/// Requests that are played to both servers, in order, on an empty key space.
///
/// @param name where it comes from: file, line and title, or a seed
/// @param rules rule numbers that it shows
/// @param fresh whether it needs servers that have seen no other program
record Program(String name, List<String> rules, boolean fresh, List<Step> steps) {
  Program {
    rules = List.copyOf(rules);
    steps = List.copyOf(steps);
  }

  Program with(List<Step> others) {
    return new Program(name, rules, fresh, others);
  }

  Program without(int from, int to) {
    List<Step> left = new ArrayList<>(steps.subList(0, from));
    left.addAll(steps.subList(to, steps.size()));
    return with(left);
  }
}
