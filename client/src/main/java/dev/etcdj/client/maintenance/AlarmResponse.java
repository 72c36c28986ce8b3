package dev.etcdj.client.maintenance;

import dev.etcdj.client.transport.ResponseHeader;
import java.util.List;

/// The alarms that are raised.
public record AlarmResponse(ResponseHeader header, List<Alarm> alarms) {}
