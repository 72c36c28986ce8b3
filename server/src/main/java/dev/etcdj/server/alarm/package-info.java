/// The cluster's alarms: [dev.etcdj.server.alarm.AlarmStore]. Changed by apply only.
@NullMarked
package dev.etcdj.server.alarm;

import org.jspecify.annotations.NullMarked;
