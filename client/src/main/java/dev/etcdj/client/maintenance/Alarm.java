package dev.etcdj.client.maintenance;

/// A member's alarm.
///
/// @param memberId unsigned
/// @param type `NOSPACE`, `CORRUPT`, or `NONE` for one this client does not know
public record Alarm(long memberId, String type) {}
