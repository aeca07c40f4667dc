import { section } from './statement.ts'

const decisions = 'decisions.md'

/** decisions.md: tokens, statistics, trips, vehicles and devices. */
export const DECISIONS_FLEET = [
  section(decisions, 'Tokens', [
    ['D-TOKEN-01', 'access token', 'opaque, stored only as a hash'],
    ['D-TOKEN-02', 'access token', 'lifetime 864,000 s by default'],
    ['D-TOKEN-03', 'access token', 'a refresh leaves the older ones valid until they expire'],
    ['D-TOKEN-04', 'refresh token', 'lifetime 180 days, renewed by every use'],
    ['D-TOKEN-05', 'refresh token', 'a refresh returns a new one, and the old one keeps working'],
    ['D-TOKEN-06', 'API key', 'issued with the command line, same Bearer header, no expiry unless asked for'],
    ['D-TOKEN-07', 'revocation', 'takes effect within 1 s'],
    ['D-TOKEN-08', 'wrong password, unknown user', '400 invalid_grant, same text for both'],
    ['D-TOKEN-09', 'wrong password, unknown user', 'same time taken for both'],
    ['D-TOKEN-10', 'wrong password, unknown user', 'repeated failures slow down'],
  ]),
  section(decisions, 'Aggregations', [
    ['D-AGGREGATION-01', 'source', 'trips, assigned to the bin in which they start'],
    [
      'D-AGGREGATION-02',
      'aggregation',
      'DRIVEN_DISTANCE (km, 111), TRIP_DURATION (s, 160), comma-separated, default both',
    ],
    ['D-AGGREGATION-03', 'aggregation', 'eventType of a row is this name, dataType NUMBER'],
    ['D-AGGREGATION-04', 'aggregationType', 'MIN, MAX, AVG, SUM over the trips of the bin'],
    [
      'D-AGGREGATION-05',
      'aggregationType',
      'START, END: the running total before and after; DIFFERENCE: what it grew between, jumps left out',
    ],
    ['D-AGGREGATION-06', 'aggregationType', 'the odometer where there is one'],
    ['D-AGGREGATION-07', 'aggregationType', 'comma-separated; default all seven'],
    ['D-AGGREGATION-08', 'bin', 'VEHICLE: a row per vehicle; FLEET: one row, vehicleId ALL'],
    ['D-AGGREGATION-09', 'bin', 'default VEHICLE, and FLEET when vehicleId is ALL or absent'],
    ['D-AGGREGATION-10', 'bin', "FLEET with one vehicle is that vehicle's sum under ALL"],
    ['D-AGGREGATION-11', 'bin', 'START, END, DIFFERENCE exist for VEHICLE only'],
    ['D-AGGREGATION-12', 'bin of a row', 'first instant of the bin; WEEK starts Monday; UTC by default'],
    ['D-AGGREGATION-13', 'bin of a row', 'parameter timeZone, right across daylight-saving changes'],
    ['D-AGGREGATION-14', 'sums', 'DAY rows add up exactly to WEEK, MONTH and YEAR rows'],
  ]),
  section(decisions, 'Trips', [
    ['D-TRIP-01', 'begins and ends', 'with ignition, else motion; short pauses do not cut; too short is no trip'],
    ['D-TRIP-02', 'distance', 'odometer difference, completed by positions; else positions'],
    ['D-TRIP-03', 'aggregations of a trip', 'START and END of the four meters where present; POSITION POLYLINE'],
    ['D-TRIP-04', 'identity', 'a merge keeps the id of the part that starts first'],
  ]),
  section(decisions, 'Vehicles and devices', [
    ['D-FLEET-01', 'vehicle id', '`VIN` + VIN once the VIN is known, else `IMEI_` + IMEI of its first dongle'],
    ['D-FLEET-02', 'vehicle id', 'the same vehicle gets the new id; the old one keeps answering by path and filter'],
    ['D-FLEET-03', 'vehicle id', 'a syncing client is sent a row with the old id and a deleteTimestamp'],
    ['D-FLEET-04', 'VIN read by a dongle', 'believed after two equal readings; another VIN: the dongle moved'],
    ['D-FLEET-05', 'vin in settings', '17 characters, no I, O, Q'],
    ['D-FLEET-06', 'vin in settings', 'a VIN that another vehicle of the account has: 400'],
    ['D-FLEET-07', 'alarmSystem', 'kept with the vehicle and shown as its ALARM_SYSTEM in lastEvents'],
    ['D-FLEET-08', 'isOnline', 'something was received within the last 5 minutes (setting)'],
    ['D-FLEET-09', 'isOnline', 'turns false by itself and then counts as a change'],
    ['D-FLEET-19', 'deviceId of a vehicle', 'the dongle in it whose data is newest'],
    ['D-FLEET-10', 'isPluggedIn', 'latest IS_DONGLE_PLUGGED_IN, else true while online'],
    ['D-FLEET-11', 'a dongle moved to another car', 'the old vehicle keeps its trips and events'],
    ['D-FLEET-12', 'a dongle moved to another car', 'queries by vehicle cover exactly the time the dongle was in it'],
    ['D-FLEET-13', 'BATTERY_STATE', 'added to each sample that has BATTERY_VOLTAGE but no BATTERY_STATE'],
    ['D-FLEET-14', 'the same device, time and event type', 'the greater value wins, whatever came first; counted'],
    ['D-FLEET-15', 'a time more than 5 minutes after', 'or before 2000: HTTP ingest answers 400'],
    ['D-FLEET-17', 'a time more than 5 minutes after', 'a dongle: kept apart, acknowledged, counted'],
    [
      'D-FLEET-16',
      'OBD_DTC_PERMANENT, OBD_DTC_SPORADIC',
      'a code is current from the first list with it until the first later one of that kind without it',
    ],
    ['D-FLEET-18', 'OBD_DTC_PERMANENT, OBD_DTC_SPORADIC', 'separated by `,` `;` or blanks; empty = none'],
  ]),
].flat()
