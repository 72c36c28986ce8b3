package dev.etcdj.etcdctl.output;

import dev.etcdj.client.cluster.MemberListResponse;
import dev.etcdj.etcdctl.Console;
import dev.etcdj.etcdctl.output.EndpointAnswer.HashKv;
import dev.etcdj.etcdctl.output.EndpointAnswer.Health;
import dev.etcdj.etcdctl.output.EndpointAnswer.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// A frame of box-drawing characters, for answers that are rows: titles in the middle of their
/// columns, cells at the right.
final class TablePrinter extends Printer {
  private final Console console;

  TablePrinter(Console console) {
    super("table");
    this.console = console;
  }

  @Override
  public void members(MemberListResponse response) {
    print(Rows.members(response));
  }

  @Override
  public void status(List<Status> answers) {
    print(Rows.status(answers));
  }

  @Override
  public void hashKv(List<HashKv> answers) {
    print(Rows.hashKv(answers));
  }

  @Override
  public void health(List<Health> answers) {
    print(Rows.health(answers));
  }

  private void print(Rows rows) {
    List<Integer> widths = new ArrayList<>();
    for (int column = 0; column < rows.titles().size(); column++) {
      int width = length(rows.titles().get(column));
      for (List<String> cells : rows.cells()) {
        width = Math.max(width, length(cells.get(column)));
      }
      widths.add(width);
    }
    console.line(rule(widths, "┌─", "─┬─", "─┐"));
    console.line(row(widths, i -> centred(rows.titles().get(i), widths.get(i))));
    console.line(rule(widths, "├─", "─┼─", "─┤"));
    for (List<String> cells : rows.cells()) {
      console.line(
          row(widths, i -> " ".repeat(widths.get(i) - length(cells.get(i))) + cells.get(i)));
    }
    console.line(rule(widths, "└─", "─┴─", "─┘"));
  }

  private static String rule(List<Integer> widths, String left, String middle, String right) {
    return widths.stream().map("─"::repeat).collect(Collectors.joining(middle, left, right));
  }

  private static String row(List<Integer> widths, IntFunction<String> cell) {
    return IntStream.range(0, widths.size())
        .mapToObj(cell)
        .collect(Collectors.joining(" │ ", "│ ", " │"));
  }

  private static String centred(String title, int width) {
    int free = width - length(title);
    return " ".repeat(free / 2) + title + " ".repeat(free - free / 2);
  }

  private static int length(String text) {
    return text.codePointCount(0, text.length());
  }
}
