package dev.etcdj.wal.segment;

import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A segment's name, `<sequence>-<firstIndex>.wal`, each 16 lower-case hex digits.
///
/// @param sequence counts from 0 without gaps
/// @param firstIndex index of the first entry the segment may hold: one above the last entry
///     written before it. Not ascending: a tail that was overwritten makes it go back.
public record SegmentName(long sequence, long firstIndex) {
  private static final Pattern FORM = Pattern.compile("([0-9a-f]{16})-([0-9a-f]{16})\\.wal");
  private static final HexFormat HEX = HexFormat.of();

  /// @return null when `name` is not a segment's
  public static @Nullable SegmentName parse(String name) {
    Matcher matcher = FORM.matcher(name);
    return matcher.matches()
        ? new SegmentName(
            HexFormat.fromHexDigitsToLong(matcher.group(1)),
            HexFormat.fromHexDigitsToLong(matcher.group(2)))
        : null;
  }

  /// The segments among the names of a directory, ascending by sequence.
  public static List<SegmentName> among(List<String> names) {
    return names.stream()
        .sorted()
        .<SegmentName>mapMulti(
            (name, take) -> {
              SegmentName segment = parse(name);
              if (segment != null) {
                take.accept(segment);
              }
            })
        .toList();
  }

  /// The file name.
  public String fileName() {
    return HEX.toHexDigits(sequence) + "-" + HEX.toHexDigits(firstIndex) + ".wal";
  }
}
