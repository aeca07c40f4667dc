// Written by `npm run console-types` from the OpenAPI document of the service.

/**
 * Exactly one of vehicleId, licensePlate and vin says into which vehicle.
 */
export type Move = {
  [k: string]: unknown
} & {
  /**
   * Id of a vehicle of the account.
   */
  vehicleId?: string
  /**
   * Number plate of a vehicle of the account.
   */
  licensePlate?: string
  /**
   * VIN of the vehicle, which is made if the account has none with that VIN.
   */
  vin?: string
  /**
   * Since when the dongle is in it; now if absent. ISO 8601.
   */
  fromTimestamp?: string
}

export interface Operations {
  'GET /cc/v2.0/devices': {
    query: {
      deviceIds?: string
      isOnline?: boolean
      isPluggedIn?: boolean
      fromTimestamp?: string
      toTimestamp?: string
      filterTimestamp?: string
      maxResults?: number
      cursor?: string
    }
    reply: DeviceList
  }
  'GET /cc/v2.0/devices/{deviceId}': {
    query: {
      filterTimestamp?: string
    }
    reply: Device
  }
  'GET /cc/v2.0/vehicles': {
    query: {
      deviceId?: number
      fromTimestamp?: string
      toTimestamp?: string
      filterTimestamp?: string
      maxResults?: number
      cursor?: string
      lastEventTypes?: string
    }
    reply: VehicleList
  }
  'GET /cc/v2.0/vehicles/{vehicleId}': {
    query: {
      deviceId?: number
      filterTimestamp?: string
      lastEventTypes?: string
    }
    reply: Vehicle
  }
  'PUT /cc/v2.0/vehicles/{vehicleId}/settings': {
    body: SettingsChange | Settings
    /**
     * The settings hold.
     */
    reply: {}
  }
  'POST /cc/v2.0/vehicles/{vehicleId}/settings': {
    body: SettingsChange | Settings
    /**
     * The settings hold.
     */
    reply: {}
  }
  'GET /cc/v2.0/addresses/{position}': {
    reply: PlaceName
  }
  'GET /cc/v2.0/addresses': {
    query: {
      positions?: string
    }
    reply: PlaceNames
  }
  'GET /cc/v2.0/places': {
    query: {
      text?: string
      addresses?: boolean
    }
    reply: FoundPlaces
  }
  'GET /cc/v2.0/positions': {
    query: {
      timestamp?: string
    }
    reply: PositionList
  }
  'GET /cc/v2.0/trips': {
    query: {
      deviceId?: number
      vehicleId?: string
      includeDeleted?: boolean
      count?: boolean
      fromTimestamp?: string
      toTimestamp?: string
      filterTimestamp?: string
      maxResults?: number
      cursor?: string
      positions?: boolean
    }
    reply: TripList
  }
  'GET /cc/v2.0/trips/{tripId}': {
    query: {
      filterTimestamp?: string
    }
    reply: Trip
  }
  'GET /cc/v2.0/trip/{tripId}': {
    query: {
      filterTimestamp?: string
    }
    reply: Trip
  }
  'GET /cc/v2.0/trips/{tripId}/explain': {
    reply: TripExplanation
  }
  'GET /cc/v2.0/trip/{tripId}/explain': {
    reply: TripExplanation
  }
  'GET /cc/v2.0/events': {
    query: {
      deviceId?: number
      vehicleId?: string
      tripId?: string
      eventType?: string
      fromTimestamp?: string
      toTimestamp?: string
      filterTimestamp?: string
      maxResults?: number
      cursor?: string
      maxPoints?: number
    }
    reply: Event[]
  }
  'GET /cc/v2.0/dtcs': {
    query: {
      deviceId?: number
      vehicleId?: string
      includeDeleted?: boolean
      count?: boolean
      fromTimestamp?: string
      toTimestamp?: string
      filterTimestamp?: string
      maxResults?: number
      cursor?: string
    }
    reply: DtcList
  }
  'GET /cc/v2.0/incidents': {
    query: {
      deviceId?: number
      vehicleId?: string
      includeDeleted?: boolean
      count?: boolean
      fromTimestamp?: string
      toTimestamp?: string
      filterTimestamp?: string
      maxResults?: number
      cursor?: string
      ruleId?: string
      areaId?: string
      kind?: string
      severity?: string
      state?: 'open' | 'ended'
      isAcknowledged?: boolean
    }
    reply: IncidentList
  }
  'GET /cc/v2.0/incidents/{incidentId}': {
    reply: Incident
  }
  'GET /cc/v2.0/incidents/{incidentId}/explain': {
    reply: IncidentExplanation
  }
  'POST /cc/v2.0/incidents/{incidentId}/acknowledgement': {
    body: IncidentNote
    reply: Incident
  }
  'DELETE /cc/v2.0/incidents/{incidentId}/acknowledgement': {
    reply: Incident
  }
  'POST /cc/v2.0/incidents/acknowledgements': {
    body: IncidentAcknowledgements
    reply: Incidents
  }
  'POST /cc/v2.0/incidents/acknowledgements/withdrawal': {
    body: IncidentAcknowledgementWithdrawal
    reply: Incidents
  }
  'GET /cc/v2.0/rules': {
    query: {
      includeDeleted?: boolean
      filterTimestamp?: string
      maxResults?: number
      cursor?: string
    }
    reply: RuleList
  }
  'POST /cc/v2.0/rules': {
    body: RuleToSave
    reply: Rule
  }
  'GET /cc/v2.0/rules/progress': {
    reply: RuleProgress
  }
  'GET /cc/v2.0/rules/{ruleId}': {
    reply: RuleWithVersions
  }
  'PUT /cc/v2.0/rules/{ruleId}': {
    body: RuleToSave
    reply: Rule
  }
  'DELETE /cc/v2.0/rules/{ruleId}': {
    query: {
      fromTimestamp?: string
    }
    reply: undefined
  }
  'POST /cc/v2.0/rules/preview': {
    body: RuleToTry
    reply: undefined
  }
  'GET /cc/v2.0/rule-kinds': {
    reply: RuleKind[]
  }
  'GET /cc/v2.0/aggregations': {
    query: {
      vehicleId?: string
      aggregation?: string
      aggregationType?: string
      bin?: 'VEHICLE' | 'FLEET'
      binSize?: 'DAY' | 'WEEK' | 'MONTH' | 'YEAR'
      timeZone?: string
      fromTimestamp?: string
      toTimestamp?: string
    }
    reply: Aggregation[]
  }
  'GET /cc/v2.0/aggregations/hours': {
    query: {
      vehicleId?: string
      timeZone?: string
      fromTimestamp?: string
      toTimestamp?: string
    }
    reply: DrivingHour[]
  }
  'GET /cc/v2.0/areas': {
    query: {
      areaIds?: string
      kind?:
        | 'DEPOT'
        | 'CUSTOMER'
        | 'WORKSHOP'
        | 'FUEL_STATION'
        | 'CHARGING_STATION'
        | 'PARKING'
        | 'HOME'
        | 'ZONE'
        | 'FORBIDDEN'
        | 'OTHER'
      includeDeleted?: boolean
      fromTimestamp?: string
      toTimestamp?: string
      filterTimestamp?: string
      maxResults?: number
      cursor?: string
    }
    reply: AreaList
  }
  'POST /cc/v2.0/areas': {
    body: AreaBody
    reply: Area
  }
  'GET /cc/v2.0/areas/export': {
    query: {
      format?: 'geojson' | 'kml'
      areaIds?: string
    }
    reply: undefined
  }
  'GET /cc/v2.0/areas/{areaId}': {
    reply: Area
  }
  'PUT /cc/v2.0/areas/{areaId}': {
    body: AreaBody
    reply: Area
  }
  'DELETE /cc/v2.0/areas/{areaId}': {
    reply: undefined
  }
  'GET /cc/v2.0/areas/{areaId}/versions': {
    reply: AreaVersionList
  }
  'POST /cc/v2.0/areas/import': {
    body: AreaImport
    reply: AreaImportReply
  }
  'GET /cc/v2.0/areas/{areaId}/visits': {
    query: {
      fromTimestamp?: string
      toTimestamp?: string
      vehicleId?: string
      shortestStayS?: number
      hysteresisM?: number
      format?: 'json' | 'csv'
      drawing?: 'THEN' | 'NOW'
    }
    reply: AreaVisitList
  }
  'POST /cc/v2.0/visits': {
    query: {
      format?: 'json' | 'csv'
    }
    body: AreaVisitQuestion
    reply: AreaVisitList
  }
  'GET /cc/v2.0/eventTypes': {
    reply: EventType[]
  }
  'GET /cc/v2.0/units': {
    reply: Unit[]
  }
  'GET /stream': {
    query: {
      resources?: string
      eventTypes?: string
      lastEventTypes?: string
      deviceId?: number
      vehicleId?: string
      lastEventId?: string
    }
    reply: undefined
  }
  'POST /auth/token': {
    body: TokenRequest
    reply: TokenReply
  }
  'POST /': {
    body: TokenRequest
    reply: TokenReply
  }
  'POST /auth/revoke': {
    body: {
      /**
       * The access token or refresh token.
       */
      token: string
      /**
       * Which of both it is, as text; not looked at.
       */
      token_type_hint?: {
        [k: string]: unknown
      }
    }
    /**
     * The token is not valid any more.
     */
    reply: {}
  }
  'GET /auth/session': {
    reply: Session
  }
  'POST /auth/password': {
    body: OwnPassword
    reply: undefined
  }
  'POST /exports': {
    body: Export
    reply: undefined
  }
  'GET /admin/users': {
    reply: UserList
  }
  'POST /admin/users': {
    body: NewUser
    reply: User
  }
  'PATCH /admin/users/{id}': {
    body: UserChanges
    reply: User
  }
  'DELETE /admin/users/{id}': {
    reply: undefined
  }
  'GET /admin/keys': {
    reply: KeyList
  }
  'POST /admin/keys': {
    body: NewKey
    reply: CreatedKey
  }
  'POST /admin/keys/{id}/take-over': {
    reply: Key
  }
  'DELETE /admin/keys/{id}': {
    reply: undefined
  }
  'POST /admin/devices': {
    body: NewDevice
    reply: AddedDevice
  }
  'POST /admin/devices/{deviceId}/move': {
    body: Move
    reply: MovedDevice
  }
  'DELETE /admin/devices/{deviceId}': {
    reply: undefined
  }
  'GET /admin/security-log': {
    query: {
      fromTimestamp?: string
      toTimestamp?: string
      caller?: string
      kind?: string
      maxResults?: number
      cursor?: string
    }
    reply: SecurityLog
  }
  'GET /admin/map': {
    reply: BaseMap
  }
  'PUT /admin/map': {
    body: MapChoice
    reply: BaseMap
  }
  'GET /admin/operation': {
    reply: Operation
  }
}
export interface DeviceList {
  devices: Device[]
  /**
   * Use it as filterTimestamp of the next request to get what changed since.
   */
  modifyTimestamp: string
}
/**
 * A dongle.
 */
export interface Device {
  /**
   * IMEI of the device.
   */
  id: number
  /**
   * Hardware manufacturer.
   */
  manufacturer: string
  /**
   * Hardware type.
   */
  hardwareType: string
  /**
   * Hardware version.
   */
  hardwareVersion: string
  /**
   * Software version that runs on the device.
   */
  firmwareVersion: string
  /**
   * Whether the device sends data at the moment.
   */
  isOnline: boolean
  /**
   * Whether the device is plugged into a vehicle.
   */
  isPluggedIn: boolean
  /**
   * The vehicle it is installed in.
   */
  vehicleId: string
  /**
   * The trip in progress; empty when not driving, and while the trip of another device in the vehicle counts instead.
   */
  tripId: string
  /**
   * When the device status last changed.
   */
  modifyTimestamp: string
}
export interface VehicleList {
  vehicles: Vehicle[]
  /**
   * Use it as filterTimestamp of the next request to get what changed since.
   */
  modifyTimestamp: string
}
/**
 * A car with its latest values.
 */
export interface Vehicle {
  id: string
  /**
   * Empty while it is not known.
   */
  vin: string
  tecDocMakeId: number
  tecDocModelId: number
  tecDocVehicleId: number
  make: string
  model: string
  vehicle: string
  fuelType: string
  kba: string
  licensePlate: string
  deviceId: number | null
  /**
   * Empty when it is not driving.
   */
  tripId: string
  /**
   * As set by people, and only then (beyond the original document).
   */
  color?: string
  /**
   * Which vehicles it belongs with, as set by people, and only then (beyond the original document).
   */
  group?: string
  /**
   * The newest event of every type, by event type.
   */
  lastEvents: LastEvent[]
  /**
   * When anything of it changed last.
   */
  modifyTimestamp: string
  deleteTimestamp: string | null
}
/**
 * The newest measurement of one event type.
 */
export interface LastEvent {
  /**
   * IMEI of the device.
   */
  deviceId: number
  /**
   * When it was measured.
   */
  recordedTimestamp: string
  eventType: string
  dataType: 'STRING' | 'BOOLEAN' | 'NUMBER' | 'GEO'
  value: number | boolean | string
  /**
   * Only for NUMBER.
   */
  unit?: string
  /**
   * Only for NUMBER.
   */
  unitId?: number
}
export interface SettingsChange {
  settings: Settings
}
/**
 * One or several settings. A null leaves a setting as it is, except deleteTimestamp.
 */
export interface Settings {
  /**
   * VIN of the vehicle, for when it could not be detected. It changes the id of the vehicle.
   */
  vin?: string | null
  /**
   * Number plate.
   */
  numberPlate?: string | null
  /**
   * Make of the vehicle, for when the VIN does not tell it; empty: as the VIN tells (beyond the original document).
   */
  make?: string | null
  /**
   * Model of the vehicle (beyond the original document).
   */
  model?: string | null
  /**
   * What it runs on; empty: as the vehicle reports it (beyond the original document).
   */
  fuelType?: string | null
  /**
   * Colour of the vehicle, in your own words (beyond the original document).
   */
  color?: string | null
  /**
   * Which vehicles it belongs with, such as a site or a department, in your own words (beyond the original document).
   */
  group?: string | null
  /**
   * Whether an additional alarm system exists.
   */
  alarmSystem?: boolean | null
  /**
   * Marks the vehicle as deleted: it should not be displayed any more. null resets the mark.
   */
  deleteTimestamp?: string | null
}
/**
 * What a place is called; unknown parts are empty.
 */
export interface PlaceName {
  suburb: string
  locality: string
  state: string
  country: string
}
export interface PlaceNames {
  addresses: PlaceName[]
}
/**
 * Places of a name.
 */
export interface FoundPlaces {
  places: {
    name: string
    /**
     * State and country.
     */
    within: string
    /**
     * A town or village, a part of one, or what the geocoder found.
     */
    kind: 'place' | 'suburb' | 'address'
    lat: number
    lon: number
  }[]
  /**
   * Whether a geocoder is set, and what became of asking it.
   */
  geocoder: 'none' | 'not asked' | 'answered' | 'failed'
}
export interface PositionList {
  positions: PositionThen[]
}
/**
 * Where a car was.
 */
export interface PositionThen {
  vehicleId: string
  /**
   * DRIVING: in a trip. SILENT: parked, and its device had said nothing for two days.
   */
  state: 'DRIVING' | 'PARKED' | 'SILENT'
  sinceTimestamp: string | null
  tripId: string | null
  position: {
    lat: number
    lon: number
  }
  positionTimestamp: string | null
  speed: number | null
  course: number | null
}
export interface TripList {
  trips: Trip[]
  /**
   * Use it as filterTimestamp of the next request to get what changed since.
   */
  modifyTimestamp: string
}
/**
 * A drive: with ignition or engine on, or in motion where the device reports neither; short pauses included.
 */
export interface Trip {
  /**
   * Trip identifier.
   */
  id: string
  /**
   * IMEI of the device.
   */
  deviceId: number
  /**
   * The vehicle that was driven.
   */
  vehicleId: string
  /**
   * Where it began; null without a position or the permission `positions`.
   */
  tripStartAddress: Address | null
  /**
   * Where it ended; null while it is in progress, and without a position or the permission `positions`.
   */
  tripEndAddress: Address | null
  /**
   * Driven distance in km.
   */
  distance: number
  /**
   * Seconds from start to end.
   */
  duration: number
  /**
   * When it began.
   */
  tripStartTimestamp: string
  /**
   * When it ended; of a trip in progress, its last measurement.
   */
  tripEndTimestamp: string
  aggregations: TripAggregation[]
  deleteTimestamp: string | null
  /**
   * When the trip status last changed.
   */
  modifyTimestamp: string
}
/**
 * A place; unknown parts are empty.
 */
export interface Address {
  /**
   * Address identifier.
   */
  id: string
  road: string
  houseNumber: string
  suburb: string
  locality: string
  state: string
  country: string
  postcode: string
  /**
   * Latitude in degrees.
   */
  lat: number
  /**
   * Longitude in degrees.
   */
  lon: number
}
/**
 * What an event type was at the ends of the trip, or the way it took.
 */
export interface TripAggregation {
  eventType: string
  /**
   * NUMBER, or GEO for the polyline.
   */
  dataType: string
  aggregationType: 'START' | 'END' | 'POLYLINE'
  /**
   * A number for START and END; an encoded polyline (precision 5) for POLYLINE.
   */
  value: number | string
  /**
   * Absent for POLYLINE.
   */
  unit_id?: number
  /**
   * Absent for POLYLINE.
   */
  unit?: string
}
export interface TripExplanation {
  tripId: string
  /**
   * MAY_GO_ON: in a pause, or without measurements for a while; later measurements may continue it.
   */
  state: 'DRIVING' | 'MAY_GO_ON' | 'ENDED' | 'DELETED'
  /**
   * What to know before believing the rest; mostly empty.
   */
  remarks: string[]
  /**
   * Of a deleted trip: the trips that cover its time now, earliest first. Else empty.
   */
  coveredBy: string[]
  /**
   * What began it; null where that is no longer known.
   */
  opened: {
    rule: 'IGNITION_ON' | 'ENGINE_ON' | 'MOTION' | 'DATA_AFTER_A_GAP'
    /**
     * The same in words, in the language of the reply.
     */
    description: string
    sample: DecidingSample
  } | null
  /**
   * What ended it; null while it may still go on, and where that is no longer known.
   */
  closed: {
    rule: 'IGNITION_OFF' | 'ENGINE_OFF' | 'NO_MOTION' | 'GAP_WITHOUT_DATA' | 'UNPLUGGED'
    /**
     * The same in words, in the language of the reply.
     */
    description: string
    sample: DecidingSample
  } | null
  /**
   * Who tells whether the car is driven, and what each said when the trip began.
   */
  evidence: TripEvidence[]
  /**
   * Instants of the trip with measurements.
   */
  samples: number
  /**
   * Pauses that did not end the trip, times that it stood with the ignition on, and times of half a minute and more without any measurement or without a position, by begin.
   */
  interruptions: TripInterruption[]
  distance: TripDistance
  positions: TripPositions
  /**
   * null when it began at the first measurement of the device.
   */
  workedOutFrom: string | null
  /**
   * The values by which trips are told apart.
   */
  rules: TripRule[]
}
/**
 * The measurements of one instant.
 */
export interface DecidingSample {
  /**
   * When it was measured.
   */
  recordedTimestamp: string
  /**
   * What was measured then, by event type. Empty without the permission `events`; without `positions`, nothing of a place.
   */
  events: LastEvent[]
}
/**
 * Who tells whether the car is driven.
 */
export interface TripEvidence {
  witness:
    | 'IGNITION'
    | 'ENGINE'
    | 'CAR_SPEED'
    | 'RECEIVER_SPEED'
    | 'UNMOVED_POSITION'
    | 'STILL_ODOMETER'
    | 'MOTION_SENSOR'
    | 'DROVE_ON'
  /**
   * How much it counts against the others: the car drives when those that say so have the greater sum. null for who decides before the others, or only where they do not.
   */
  weight: number | null
  /**
   * For how long it counts after it was measured; 0: only at that instant. null: until it says something else.
   */
  freshSeconds: number | null
  /**
   * What it says, in the language of the reply.
   */
  description: string
  /**
   * With the measurements that began the trip; null when it said nothing, or that is no longer known.
   */
  saidAtBegin: ('DRIVES' | 'STANDS') | null
}
export interface TripInterruption {
  kind: 'IGNITION_OFF' | 'ENGINE_OFF' | 'NO_MOTION' | 'IDLE' | 'NO_DATA' | 'SILENCE_BRIDGED' | 'NO_POSITION'
  /**
   * The same in words, in the language of the reply.
   */
  description: string
  /**
   * When it began.
   */
  fromTimestamp: string
  /**
   * When it was over.
   */
  toTimestamp: string
  /**
   * Seconds from one to the other.
   */
  seconds: number
}
export interface TripDistance {
  /**
   * What counts, in km; null where it was not measured.
   */
  counted: number | null
  /**
   * The truth lies between this and `most` 19 times of 20, in km; null where it was not measured.
   */
  least: number | null
  /**
   * The truth lies between `least` and this 19 times of 20, in km; null where it was not measured.
   */
  most: number | null
  /**
   * All that measured it, and how each differs from what counts.
   */
  measures: TripDistanceMeasure[]
  /**
   * Measures that differ by more than their errors, and which of them is not believed; mostly empty.
   */
  contradictions: {
    kind: 'SPEED_AGAINST_POSITIONS' | 'SPEED_OF_ANOTHER_UNIT' | 'ODOMETER_AGAINST_POSITIONS'
    /**
     * The same in words, in the language of the reply.
     */
    description: string
  }[]
  /**
   * By the odometer alone, in km; null where it was not measured.
   */
  odometer: number | null
  /**
   * By positions alone, in km; null where it was not measured.
   */
  positions: number | null
  /**
   * Odometer less positions, in km; null where it was not measured.
   */
  difference: number | null
  /**
   * What counts and why; null where that is no longer known.
   */
  basis:
    | (
        | 'ODOMETER'
        | 'ODOMETER_COMPLETED_BY_POSITIONS'
        | 'POSITIONS_NO_ODOMETER'
        | 'POSITIONS_ODOMETER_UNCHANGED'
        | 'POSITIONS_ODOMETER_DOUBTED'
        | 'SPEED_OVER_TIME'
        | 'NOTHING_MEASURED'
      )
    | null
  /**
   * The same in words, in the language of the reply.
   */
  description: string
  /**
   * How often the odometer went backwards or leapt; what lies across counts by positions.
   */
  odometerJumps: number
}
export interface TripDistanceMeasure {
  measure: 'ODOMETER' | 'POSITIONS' | 'SPEED'
  /**
   * The same in words, in the language of the reply.
   */
  description: string
  /**
   * In km.
   */
  distance: number
  /**
   * By chance, in km: one standard error.
   */
  standardError: number
  /**
   * By how much it may be wrong all the time, such as by tyres, in km.
   */
  systematicError: number
  /**
   * Less what counts, in km.
   */
  difference: number
  /**
   * What counts is within its error: two standard errors and the systematic one.
   */
  agrees: boolean
  /**
   * What counts rests on it.
   */
  counts: boolean
  /**
   * Of the odometer: what it shows and whether it is believed; else null.
   */
  odometer: {
    /**
     * As its instrument shows it, in its own unit.
     */
    shown: number
    verdict: 'KILOMETRES' | 'MILES' | 'DOUBTED' | 'JUMPED'
    /**
     * The same in words, in the language of the reply.
     */
    description: string
  } | null
}
export interface TripPositions {
  /**
   * Positions that the length and the route follow.
   */
  counted: number
  /**
   * How often the car appeared elsewhere; the way there is not counted.
   */
  relocations: number
  /**
   * How often it turned out never to have left; what was elsewhere is not counted.
   */
  returns: number
  /**
   * Positions that do not count, by reason.
   */
  dropped: {
    reason: 'IMPOSSIBLE_PLACE' | 'IMPOSSIBLE_JUMP' | 'ELSEWHERE' | 'DRIFT_WHILE_STANDING'
    /**
     * The same in words, in the language of the reply.
     */
    description: string
    count: number
  }[]
}
export interface TripRule {
  name: string
  value: number
  /**
   * Empty for a count or a ratio.
   */
  unit: string
  /**
   * What it is for.
   */
  description: string
}
/**
 * A measurement.
 */
export interface Event {
  event_type: string
  data_type: 'STRING' | 'BOOLEAN' | 'NUMBER' | 'GEO'
  /**
   * A float for NUMBER, a boolean for BOOLEAN, a text for STRING, `POINT(<lon> <lat>)` for GEO.
   */
  value: number | boolean | string
  /**
   * Only for NUMBER.
   */
  unit?: string
  /**
   * Only for NUMBER.
   */
  unit_id?: number
  /**
   * IMEI of the device.
   */
  device_id: number
  /**
   * When it was measured.
   */
  recorded_timestamp: string
}
export interface DtcList {
  dtcs: Dtc[]
  /**
   * Use it as filterTimestamp of the next request to get what changed since.
   */
  modifyTimestamp: string
}
/**
 * A diagnostic trouble code.
 */
export interface Dtc {
  /**
   * Identifier of the fault code.
   */
  id: string
  vehicleId: string
  /**
   * IMEI of the device.
   */
  deviceId: number
  /**
   * Electronic control unit; 0 when it is not known.
   */
  ecuTypeId: number
  /**
   * Name of the control unit; empty when not known.
   */
  ecuType: string
  /**
   * The trouble code.
   */
  code: string
  /**
   * The code as the device reported it, in upper case; a failure type of ISO 14229-1 follows the code.
   */
  encoded: string
  /**
   * The form in which the device reported it.
   */
  encoding: 'HEX' | 'DECIMAL' | 'PCODE'
  /**
   * What the code means: the operator's own text, the built-in one, or for codes without any the part of the car.
   */
  label: string
  /**
   * The list that the code was in; FREEZEFRAME: measurements of the moment of the fault are stored.
   */
  dtcType: 'PERMANENT' | 'SPORADIC' | 'FREEZEFRAME'
  /**
   * When the code was first in a list of the device.
   */
  recordedTimestamp: string
  deleteTimestamp: string | null
  /**
   * When anything of it last changed.
   */
  modifyTimestamp: string
}
export interface IncidentList {
  incidents: Incident[]
  /**
   * Use it as filterTimestamp of the next request to get what changed since.
   */
  modifyTimestamp: string
}
/**
 * An interval in which a rule found what it looks for.
 */
export interface Incident {
  /**
   * Id of the incident.
   */
  id: string
  /**
   * The rule that found it.
   */
  ruleId: string
  /**
   * The version of the rule that held then.
   */
  ruleVersion: number
  /**
   * The kind of the rule.
   */
  kind:
    | 'AREA_ENTERED'
    | 'AREA_LEFT'
    | 'AREA_STAYED'
    | 'OUTSIDE_AREAS'
    | 'SPEEDING_IN_AREA'
    | 'SPEEDING'
    | 'IDLING'
    | 'HARSH_ACCELERATION'
    | 'HARSH_BRAKING'
    | 'HARSH_CORNERING'
    | 'CRASH'
    | 'USED_OUTSIDE_HOURS'
    | 'TOWED'
    | 'REFUELLED'
    | 'FUEL_LOST'
    | 'CHARGED'
    | 'LOW_BATTERY'
    | 'ENGINE_HOT'
    | 'TROUBLE_CODE'
    | 'MIL_ON'
    | 'SERVICE_DUE'
    | 'SERVICE_DUE_KM'
    | 'SERVICE_DUE_HOURS'
    | 'SERVICE_DUE_DATE'
    | 'VALUE_ABOVE'
    | 'VALUE_BELOW'
    | 'UNPLUGGED'
    | 'OFFLINE'
  /**
   * The same in the language of the reply.
   */
  title: string
  severity: 'info' | 'warning' | 'critical'
  vehicleId: string
  /**
   * IMEI of the device.
   */
  deviceId: number
  /**
   * The trip in which it began, as far as that is known now; null without one.
   */
  tripId: string | null
  /**
   * The area that it is about.
   */
  areaId: string | null
  /**
   * What tells it from others of the same begin, such as a trouble code.
   */
  detail: string | null
  /**
   * When it began.
   */
  startTimestamp: string
  /**
   * null while it goes on.
   */
  endTimestamp: string | null
  peak: IncidentPeak | null
  /**
   * Where it began; null without a position or the permission `positions`.
   */
  startPosition: IncidentPosition | null
  /**
   * Where it ended; null while it goes on, and without a position or the permission `positions`.
   */
  endPosition: IncidentPosition | null
  /**
   * The place where it began; null as the position.
   */
  startAddress: Address | null
  /**
   * The place where it ended; null as the position.
   */
  endAddress: Address | null
  /**
   * By whom and when; kept when late data change it.
   */
  acknowledged: IncidentAcknowledgement | null
  deleteTimestamp: string | null
  /**
   * When anything of it last changed.
   */
  modifyTimestamp: string
}
/**
 * The greatest value, or the least of what was too low.
 */
export interface IncidentPeak {
  value: number
  unit: string
  timestamp: string | null
}
export interface IncidentPosition {
  /**
   * Latitude in degrees.
   */
  lat: number
  /**
   * Longitude in degrees.
   */
  lon: number
}
export interface IncidentAcknowledgement {
  /**
   * When it was acknowledged.
   */
  timestamp: string
  /**
   * E-mail address of a user, or name of a key.
   */
  by: string
  /**
   * Empty without one.
   */
  note: string
}
export interface IncidentExplanation {
  incidentId: string
  /**
   * SILENT: it ended with the last measurement of the device; later ones may continue it.
   */
  state: 'OPEN' | 'SILENT' | 'ENDED' | 'WITHDRAWN'
  /**
   * What to know of it, in the language of the reply.
   */
  remarks: string[]
  coveredBy: string | null
  rule: IncidentRule
  decidedTimestamp: string | null
  /**
   * The measurements at its begin, peak and end.
   */
  samples: IncidentSample[]
}
export interface IncidentRule {
  ruleId: string
  name: string
  version: number
  /**
   * What the kind of rule looks for.
   */
  description: string
  /**
   * From when on that version held.
   */
  heldFromTimestamp: string
  heldToTimestamp: string | null
  savedBy: string
  parameters: {
    name: string
    label: string
    value: {
      [k: string]: unknown
    }
    unit: string
    isDefault: boolean
    /**
     * Why the default is what it is.
     */
    reason: string
  }[]
}
export interface IncidentSample {
  /**
   * Of the incident, what was measured then or last before.
   */
  of: 'START' | 'PEAK' | 'END'
  /**
   * When it was measured.
   */
  recordedTimestamp: string
  /**
   * What was measured then, by event type. Empty without the permission `events`; without `positions`, nothing of a place.
   */
  events: LastEvent[]
}
export interface IncidentNote {
  /**
   * What is to be kept with it.
   */
  note?: string
}
export interface IncidentAcknowledgements {
  /**
   * @minItems 1
   * @maxItems 10000
   *
   * Items: Id of an incident.
   */
  incidentIds: string[]
  /**
   * What is to be kept with it.
   */
  note?: string
}
export interface Incidents {
  incidents: Incident[]
}
export interface IncidentAcknowledgementWithdrawal {
  /**
   * @minItems 1
   * @maxItems 10000
   *
   * Items: Id of an incident.
   */
  incidentIds: string[]
  /**
   * As the acknowledgements have it.
   */
  acknowledgedTimestamp: string
}
export interface RuleList {
  rules: Rule[]
  /**
   * Use it as filterTimestamp of the next request to get what changed since.
   */
  modifyTimestamp: string
}
/**
 * What a fleet is watched for.
 */
export interface Rule {
  /**
   * Id of the rule.
   */
  id: string
  /**
   * Its name.
   */
  name: string
  /**
   * Counts how often it was changed.
   */
  version: number
  /**
   * What it looks for: one of GET /rule-kinds.
   */
  kind:
    | 'AREA_ENTERED'
    | 'AREA_LEFT'
    | 'AREA_STAYED'
    | 'OUTSIDE_AREAS'
    | 'SPEEDING_IN_AREA'
    | 'SPEEDING'
    | 'IDLING'
    | 'HARSH_ACCELERATION'
    | 'HARSH_BRAKING'
    | 'HARSH_CORNERING'
    | 'CRASH'
    | 'USED_OUTSIDE_HOURS'
    | 'TOWED'
    | 'REFUELLED'
    | 'FUEL_LOST'
    | 'CHARGED'
    | 'LOW_BATTERY'
    | 'ENGINE_HOT'
    | 'TROUBLE_CODE'
    | 'MIL_ON'
    | 'SERVICE_DUE'
    | 'SERVICE_DUE_KM'
    | 'SERVICE_DUE_HOURS'
    | 'SERVICE_DUE_DATE'
    | 'VALUE_ABOVE'
    | 'VALUE_BELOW'
    | 'UNPLUGGED'
    | 'OFFLINE'
  /**
   * By name, as the kind says; what is missing has the default of the kind. Areas are lists of their ids.
   */
  parameters: {
    [k: string]: unknown
  }
  /**
   * How much it matters; by default as the kind says.
   */
  severity: 'info' | 'warning' | 'critical'
  /**
   * The vehicles that it watches; null: all.
   */
  vehicleIds: string[] | null
  /**
   * Hours of each week; null: always.
   */
  hours: RuleHours | null
  /**
   * From when on this version holds.
   */
  fromTimestamp: string
  /**
   * When the rule was created.
   */
  createdTimestamp: string
  deleteTimestamp: string | null
  /**
   * When anything of it last changed.
   */
  modifyTimestamp: string
}
/**
 * Hours of each week. What they mean says the kind: when the rule holds, or when use is permitted.
 */
export interface RuleHours {
  /**
   * IANA name.
   */
  timeZone: string
  /**
   * Seven lists of times of the day, Monday first; `to` is up to 24:00.
   */
  days: {
    /**
     * HH:MM
     */
    from: string
    /**
     * HH:MM
     */
    to: string
  }[][]
}
export interface RuleToSave {
  /**
   * Its name.
   */
  name: string
  /**
   * What it looks for: one of GET /rule-kinds.
   */
  kind:
    | 'AREA_ENTERED'
    | 'AREA_LEFT'
    | 'AREA_STAYED'
    | 'OUTSIDE_AREAS'
    | 'SPEEDING_IN_AREA'
    | 'SPEEDING'
    | 'IDLING'
    | 'HARSH_ACCELERATION'
    | 'HARSH_BRAKING'
    | 'HARSH_CORNERING'
    | 'CRASH'
    | 'USED_OUTSIDE_HOURS'
    | 'TOWED'
    | 'REFUELLED'
    | 'FUEL_LOST'
    | 'CHARGED'
    | 'LOW_BATTERY'
    | 'ENGINE_HOT'
    | 'TROUBLE_CODE'
    | 'MIL_ON'
    | 'SERVICE_DUE'
    | 'SERVICE_DUE_KM'
    | 'SERVICE_DUE_HOURS'
    | 'SERVICE_DUE_DATE'
    | 'VALUE_ABOVE'
    | 'VALUE_BELOW'
    | 'UNPLUGGED'
    | 'OFFLINE'
  /**
   * By name, as the kind says; what is missing has the default of the kind. Areas are lists of their ids.
   */
  parameters?: {
    [k: string]: unknown
  }
  /**
   * How much it matters; by default as the kind says.
   */
  severity?: 'info' | 'warning' | 'critical'
  /**
   * The vehicles that it watches; null: all.
   */
  vehicleIds?: string[] | null
  /**
   * Hours of each week; null: always.
   */
  hours?: RuleHours | null
  /**
   * From when on it holds; by default from now on. In the past, what it would have found since becomes real in the background. ISO 8601.
   */
  fromTimestamp?: string
}
export interface RuleProgress {
  /**
   * Everything follows from the rules as they are.
   */
  isDone: boolean
  /**
   * Changes that are about to be worked out.
   */
  changesWaiting: number
  /**
   * Devices that are worked out again.
   */
  devicesLeft: number
}
/**
 * A rule with what it asked for at every time.
 */
export interface RuleWithVersions {
  /**
   * Id of the rule.
   */
  id: string
  /**
   * Its name.
   */
  name: string
  /**
   * Counts how often it was changed.
   */
  version: number
  /**
   * What it looks for: one of GET /rule-kinds.
   */
  kind:
    | 'AREA_ENTERED'
    | 'AREA_LEFT'
    | 'AREA_STAYED'
    | 'OUTSIDE_AREAS'
    | 'SPEEDING_IN_AREA'
    | 'SPEEDING'
    | 'IDLING'
    | 'HARSH_ACCELERATION'
    | 'HARSH_BRAKING'
    | 'HARSH_CORNERING'
    | 'CRASH'
    | 'USED_OUTSIDE_HOURS'
    | 'TOWED'
    | 'REFUELLED'
    | 'FUEL_LOST'
    | 'CHARGED'
    | 'LOW_BATTERY'
    | 'ENGINE_HOT'
    | 'TROUBLE_CODE'
    | 'MIL_ON'
    | 'SERVICE_DUE'
    | 'SERVICE_DUE_KM'
    | 'SERVICE_DUE_HOURS'
    | 'SERVICE_DUE_DATE'
    | 'VALUE_ABOVE'
    | 'VALUE_BELOW'
    | 'UNPLUGGED'
    | 'OFFLINE'
  /**
   * By name, as the kind says; what is missing has the default of the kind. Areas are lists of their ids.
   */
  parameters: {
    [k: string]: unknown
  }
  /**
   * How much it matters; by default as the kind says.
   */
  severity: 'info' | 'warning' | 'critical'
  /**
   * The vehicles that it watches; null: all.
   */
  vehicleIds: string[] | null
  /**
   * Hours of each week; null: always.
   */
  hours: RuleHours | null
  /**
   * From when on this version holds.
   */
  fromTimestamp: string
  /**
   * When the rule was created.
   */
  createdTimestamp: string
  deleteTimestamp: string | null
  /**
   * When anything of it last changed.
   */
  modifyTimestamp: string
  /**
   * All of them, the newest first.
   */
  versions: RuleVersion[]
}
/**
 * What a rule asked for during a time.
 */
export interface RuleVersion {
  version: number
  /**
   * What it looks for: one of GET /rule-kinds.
   */
  kind:
    | 'AREA_ENTERED'
    | 'AREA_LEFT'
    | 'AREA_STAYED'
    | 'OUTSIDE_AREAS'
    | 'SPEEDING_IN_AREA'
    | 'SPEEDING'
    | 'IDLING'
    | 'HARSH_ACCELERATION'
    | 'HARSH_BRAKING'
    | 'HARSH_CORNERING'
    | 'CRASH'
    | 'USED_OUTSIDE_HOURS'
    | 'TOWED'
    | 'REFUELLED'
    | 'FUEL_LOST'
    | 'CHARGED'
    | 'LOW_BATTERY'
    | 'ENGINE_HOT'
    | 'TROUBLE_CODE'
    | 'MIL_ON'
    | 'SERVICE_DUE'
    | 'SERVICE_DUE_KM'
    | 'SERVICE_DUE_HOURS'
    | 'SERVICE_DUE_DATE'
    | 'VALUE_ABOVE'
    | 'VALUE_BELOW'
    | 'UNPLUGGED'
    | 'OFFLINE'
  /**
   * By name, as the kind says; what is missing has the default of the kind. Areas are lists of their ids.
   */
  parameters: {
    [k: string]: unknown
  }
  /**
   * How much it matters; by default as the kind says.
   */
  severity: 'info' | 'warning' | 'critical'
  /**
   * The vehicles that it watches; null: all.
   */
  vehicleIds: string[] | null
  /**
   * Hours of each week; null: always.
   */
  hours: RuleHours | null
  /**
   * From when on it holds.
   */
  fromTimestamp: string
  toTimestamp: string | null
  /**
   * When it was saved.
   */
  savedTimestamp: string
  /**
   * By whom: e-mail address of a user, or name of a key.
   */
  savedBy: string
}
export interface RuleToTry {
  /**
   * What it looks for: one of GET /rule-kinds.
   */
  kind:
    | 'AREA_ENTERED'
    | 'AREA_LEFT'
    | 'AREA_STAYED'
    | 'OUTSIDE_AREAS'
    | 'SPEEDING_IN_AREA'
    | 'SPEEDING'
    | 'IDLING'
    | 'HARSH_ACCELERATION'
    | 'HARSH_BRAKING'
    | 'HARSH_CORNERING'
    | 'CRASH'
    | 'USED_OUTSIDE_HOURS'
    | 'TOWED'
    | 'REFUELLED'
    | 'FUEL_LOST'
    | 'CHARGED'
    | 'LOW_BATTERY'
    | 'ENGINE_HOT'
    | 'TROUBLE_CODE'
    | 'MIL_ON'
    | 'SERVICE_DUE'
    | 'SERVICE_DUE_KM'
    | 'SERVICE_DUE_HOURS'
    | 'SERVICE_DUE_DATE'
    | 'VALUE_ABOVE'
    | 'VALUE_BELOW'
    | 'UNPLUGGED'
    | 'OFFLINE'
  /**
   * By name, as the kind says; what is missing has the default of the kind. Areas are lists of their ids.
   */
  parameters?: {
    [k: string]: unknown
  }
  /**
   * How much it matters; by default as the kind says.
   */
  severity?: 'info' | 'warning' | 'critical'
  /**
   * The vehicles that it watches; null: all.
   */
  vehicleIds?: string[] | null
  /**
   * Hours of each week; null: always.
   */
  hours?: RuleHours | null
  /**
   * Where the period begins; by default 90 days before its end. ISO 8601.
   */
  fromTimestamp?: string
  /**
   * Where the period ends; by default now. ISO 8601.
   */
  toTimestamp?: string
}
/**
 * What a fleet can be watched for.
 */
export interface RuleKind {
  name:
    | 'AREA_ENTERED'
    | 'AREA_LEFT'
    | 'AREA_STAYED'
    | 'OUTSIDE_AREAS'
    | 'SPEEDING_IN_AREA'
    | 'SPEEDING'
    | 'IDLING'
    | 'HARSH_ACCELERATION'
    | 'HARSH_BRAKING'
    | 'HARSH_CORNERING'
    | 'CRASH'
    | 'USED_OUTSIDE_HOURS'
    | 'TOWED'
    | 'REFUELLED'
    | 'FUEL_LOST'
    | 'CHARGED'
    | 'LOW_BATTERY'
    | 'ENGINE_HOT'
    | 'TROUBLE_CODE'
    | 'MIL_ON'
    | 'SERVICE_DUE'
    | 'SERVICE_DUE_KM'
    | 'SERVICE_DUE_HOURS'
    | 'SERVICE_DUE_DATE'
    | 'VALUE_ABOVE'
    | 'VALUE_BELOW'
    | 'UNPLUGGED'
    | 'OFFLINE'
  group: string
  /**
   * In the language of the reply.
   */
  title: string
  description: string
  /**
   * Of its rules, unless they say something else.
   */
  severity: 'info' | 'warning' | 'critical'
  /**
   * What the hours of a rule mean: when it holds, or when use is permitted.
   */
  hours: 'applies' | 'permitted'
  /**
   * The unit of the peak of its incidents; empty where they have none, null where it is that of the event type of the rule.
   */
  peakUnit: string | null
  parameters: RuleParameter[]
}
export interface RuleParameter {
  name: string
  /**
   * number, integer, boolean, enum, areas, eventType, dtcPattern or date.
   */
  dataType: string
  /**
   * In the language of the reply.
   */
  label: string
  /**
   * Why the default is what it is.
   */
  reason: string
  /**
   * Its symbol; empty without one, or that of the event type that the rule names. null where it is no number.
   */
  unit: string | null
  /**
   * Of numbers; else null.
   */
  minimum: number | null
  /**
   * Of numbers; else null.
   */
  maximum: number | null
  /**
   * null: every rule has to say.
   */
  defaultValue: {
    [k: string]: unknown
  }
  /**
   * Of an enum; else empty.
   */
  choices: {
    value: string
    label: string
  }[]
}
/**
 * A statistic of the trips that start in a bin of time.
 */
export interface Aggregation {
  /**
   * The vehicle, or ALL where the fleet is one.
   */
  vehicleId: string
  eventType: 'DRIVEN_DISTANCE' | 'TRIP_DURATION'
  dataType: 'NUMBER'
  aggregationType: 'MIN' | 'MAX' | 'AVG' | 'SUM' | 'START' | 'END' | 'DIFFERENCE'
  value: number
  unitId: number
  unit: string
  /**
   * First instant of the bin.
   */
  bin: string
}
/**
 * How long cars drove in an hour of the week.
 */
export interface DrivingHour {
  /**
   * 1 is Monday, 7 Sunday (ISO 8601).
   */
  weekday: number
  /**
   * From this hour of the day on.
   */
  hour: number
  /**
   * Seconds that cars drove in it, all weeks together.
   */
  duration: number
}
export interface AreaList {
  areas: Area[]
  /**
   * Use it as filterTimestamp of the next request to get what changed since.
   */
  modifyTimestamp: string
}
/**
 * A part of the map that an account has drawn.
 */
export interface Area {
  /**
   * Id of the area.
   */
  id: string
  /**
   * Its name.
   */
  name: string
  /**
   * What it is to the account.
   */
  kind:
    | 'DEPOT'
    | 'CUSTOMER'
    | 'WORKSHOP'
    | 'FUEL_STATION'
    | 'CHARGING_STATION'
    | 'PARKING'
    | 'HOME'
    | 'ZONE'
    | 'FORBIDDEN'
    | 'OTHER'
  /**
   * For the map: red, green and blue.
   */
  color: string
  geometry: AreaGeometry
  /**
   * Radius in metres of a circle, whose geometry is a Point; null of other areas.
   */
  radiusM: number | null
  /**
   * Of a corridor, whose geometry is a LineString, metres from the line to the border on either side; null of other areas.
   */
  halfWidthM: number | null
  /**
   * How often its shape was drawn.
   */
  version: number
  validFromTimestamp: string | null
  deleteTimestamp: string | null
  /**
   * When it last changed.
   */
  modifyTimestamp: string
}
/**
 * GeoJSON (RFC 7946): a Polygon or MultiPolygon, with holes if wanted; a Point with `radiusM` for a circle; a LineString with `halfWidthM` for a corridor. Edges take the short way around the earth.
 */
export interface AreaGeometry {
  type: 'Polygon' | 'MultiPolygon' | 'Point' | 'LineString'
  /**
   * Longitude first, in degrees.
   */
  coordinates: unknown[]
}
export interface AreaBody {
  /**
   * Its name.
   */
  name: string
  /**
   * What it is to the account.
   */
  kind?:
    | 'DEPOT'
    | 'CUSTOMER'
    | 'WORKSHOP'
    | 'FUEL_STATION'
    | 'CHARGING_STATION'
    | 'PARKING'
    | 'HOME'
    | 'ZONE'
    | 'FORBIDDEN'
    | 'OTHER'
  /**
   * For the map: red, green and blue.
   */
  color?: string
  geometry: AreaGeometry
  /**
   * Radius in metres of a circle, whose geometry is a Point; null of other areas.
   */
  radiusM?: number | null
  /**
   * Of a corridor, whose geometry is a LineString, metres from the line to the border on either side; null of other areas.
   */
  halfWidthM?: number | null
  validFromTimestamp?: string | null
}
export interface AreaVersionList {
  /**
   * By version.
   */
  versions: AreaVersion[]
}
/**
 * How an area was drawn for a time.
 */
export interface AreaVersion {
  /**
   * From 1.
   */
  version: number
  validFromTimestamp: string | null
  validToTimestamp: string | null
  geometry: AreaGeometry
  /**
   * Radius in metres of a circle, whose geometry is a Point; null of other areas.
   */
  radiusM: number | null
  /**
   * Of a corridor, whose geometry is a LineString, metres from the line to the border on either side; null of other areas.
   */
  halfWidthM: number | null
}
export interface AreaImport {
  /**
   * A FeatureCollection, a Feature or a geometry. Of the properties of a feature, `name` (or `title`), `kind`, `color` (or `fill` or `stroke`), `radiusM` and `halfWidthM` count.
   */
  geojson?: {}
  /**
   * The text of a KML file, instead of GeoJSON.
   */
  kml?: string
  /**
   * The bytes of a GeoJSON, KML or KMZ file, instead of these, in whatever encoding it has.
   */
  file?: string
  /**
   * Of areas that name none.
   */
  kind?:
    | 'DEPOT'
    | 'CUSTOMER'
    | 'WORKSHOP'
    | 'FUEL_STATION'
    | 'CHARGING_STATION'
    | 'PARKING'
    | 'HOME'
    | 'ZONE'
    | 'FORBIDDEN'
    | 'OTHER'
  /**
   * Radius in metres of points that have none.
   */
  radiusM?: number
  /**
   * Of lines that say nothing, metres to the border on either side.
   */
  halfWidthM?: number
}
export interface AreaImportReply {
  /**
   * The new areas, in the order of the file.
   */
  areaIds: string[]
  /**
   * What of the file is no area, and why; 1000 of them at most.
   */
  passedOver: string[]
  /**
   * How many they are in all.
   */
  passedOverCount: number
}
export interface AreaVisitList {
  /**
   * By car, then by time.
   */
  visits: AreaVisit[]
}
/**
 * A car was in an area.
 */
export interface AreaVisit {
  /**
   * The car.
   */
  vehicleId: string
  /**
   * IMEI of the device.
   */
  deviceId: number
  /**
   * The first fix in the area; what came before the period does not count.
   */
  enterTimestamp: string
  /**
   * The last fix in the area, so far or in the period.
   */
  leaveTimestamp: string
  /**
   * Whether the car was seen outside afterwards, within the period.
   */
  isOver: boolean
  /**
   * From the first fix to the last, in seconds.
   */
  duration: number
  /**
   * The way driven in the area, in kilometres.
   */
  distance: number
}
export interface AreaVisitQuestion {
  geometry: AreaGeometry
  /**
   * Radius in metres of a circle, whose geometry is a Point; null of other areas.
   */
  radiusM?: number | null
  /**
   * Of a corridor, whose geometry is a LineString, metres from the line to the border on either side; null of other areas.
   */
  halfWidthM?: number | null
  /**
   * Start of the period, inclusive; 30 days before its end unless given. ISO 8601.
   */
  fromTimestamp?: string
  /**
   * End of the period, inclusive; now unless given. ISO 8601.
   */
  toTimestamp?: string
  /**
   * Only those of this car.
   */
  vehicleId?: string
  /**
   * Shorter stays are none, in seconds; 120 unless given. 0: a single fix inside is one.
   */
  shortestStayS?: number
  /**
   * A car has left when a fix is farther outside than so many metres; 30 unless given.
   */
  hysteresisM?: number
}
export interface EventType {
  eventType: string
  dataType: 'STRING' | 'BOOLEAN' | 'NUMBER' | 'GEO'
  /**
   * Empty where the type is not a NUMBER.
   */
  unit: string
  unitId: number
}
export interface Unit {
  id: number
  /**
   * Empty for dimensionless values.
   */
  unitType: string
}
export interface TokenRequest {
  /**
   * What is exchanged for tokens.
   */
  grant_type: 'password' | 'refresh_token'
  /**
   * With `password`: e-mail address of the user.
   */
  username?: string
  /**
   * With `password`: password of the user.
   */
  password?: string
  /**
   * With `refresh_token`: one from an earlier reply. It stays valid: each use renews its 180 days, unless the refresh tokens of the login rotate.
   */
  refresh_token?: string
  /**
   * Beyond the original document. `true`: this client stores the refresh token of every reply, and each refresh token of this login is to be used once. One that comes again after its successor was used ends the login (RFC 9700, 4.14.2). A login that rotates goes on to do so.
   */
  rotate_refresh_tokens?: 'true' | 'false'
  /**
   * The application id; may be left out.
   */
  client_id?: 'connectedCarApi'
}
/**
 * Tokens issued.
 */
export interface TokenReply {
  /**
   * Seconds the access token is valid.
   */
  expires_in: number
  /**
   * Always `bearer`.
   */
  token_type: string
  /**
   * To be sent with every request: `Authorization: Bearer <ACCESS_TOKEN>`.
   */
  access_token: string
  /**
   * To be exchanged for a new access token later.
   */
  refresh_token: string
}
/**
 * Whom a token belongs to.
 */
export interface Session {
  /**
   * Whose token it is.
   */
  kind: 'user' | 'key'
  /**
   * E-mail address of the user, or name of the key.
   */
  name: string
  /**
   * The account whose data the token opens.
   */
  account: {
    /**
     * Id of the account.
     */
    id: string
    /**
     * Its name.
     */
    name: string
  }
  /**
   * What the token opens.
   */
  permissions: (
    | 'devices'
    | 'vehicles'
    | 'positions'
    | 'trips'
    | 'events'
    | 'dtcs'
    | 'aggregations'
    | 'areas'
    | 'rules'
    | 'incidents'
    | 'settings'
    | 'ingest'
    | 'administration'
  )[]
  expiresTimestamp: string | null
}
export interface OwnPassword {
  /**
   * The password as it is now.
   */
  currentPassword: string
  /**
   * The password, with at least 12 characters, neither common nor made of the e-mail address. It is stored as a hash and never shown.
   */
  newPassword: string
}
export interface Export {
  /**
   * What the file holds.
   */
  file:
    | 'trips'
    | 'route'
    | 'measurements'
    | 'faults'
    | 'statistics'
    | 'visits'
    | 'incidents'
    | 'rules'
    | 'devices'
    | 'users'
    | 'keys'
    | 'security-log'
}
export interface UserList {
  users: User[]
}
/**
 * Somebody who logs in with e-mail address and password.
 */
export interface User {
  /**
   * Id of the user.
   */
  id: string
  /**
   * E-mail address, with which the user logs in.
   */
  email: string
  /**
   * What the user may see and do.
   */
  permissions: (
    | 'devices'
    | 'vehicles'
    | 'positions'
    | 'trips'
    | 'events'
    | 'dtcs'
    | 'aggregations'
    | 'areas'
    | 'rules'
    | 'incidents'
    | 'settings'
    | 'ingest'
    | 'administration'
  )[]
  /**
   * When the user was created.
   */
  createdTimestamp: string
  lastLoginTimestamp: string | null
}
export interface NewUser {
  /**
   * E-mail address, with which the user logs in.
   */
  email: string
  /**
   * The password, with at least 12 characters, neither common nor made of the e-mail address. It is stored as a hash and never shown.
   */
  password: string
  /**
   * What the user may see and do. An administrator may grant any permission of the list.
   *
   * @minItems 1
   */
  permissions: (
    | 'devices'
    | 'vehicles'
    | 'positions'
    | 'trips'
    | 'events'
    | 'dtcs'
    | 'aggregations'
    | 'areas'
    | 'rules'
    | 'incidents'
    | 'settings'
    | 'ingest'
    | 'administration'
  )[]
}
/**
 * What is absent stays as it is.
 */
export interface UserChanges {
  /**
   * The password, with at least 12 characters, neither common nor made of the e-mail address. It is stored as a hash and never shown.
   */
  password?: string
  /**
   * What the user may see and do. An administrator may grant any permission of the list.
   *
   * @minItems 1
   */
  permissions?: (
    | 'devices'
    | 'vehicles'
    | 'positions'
    | 'trips'
    | 'events'
    | 'dtcs'
    | 'aggregations'
    | 'areas'
    | 'rules'
    | 'incidents'
    | 'settings'
    | 'ingest'
    | 'administration'
  )[]
}
export interface KeyList {
  keys: Key[]
}
/**
 * What a program sends with every request.
 */
export interface Key {
  /**
   * Id of the key.
   */
  id: string
  /**
   * What the key is for.
   */
  name: string
  /**
   * What the key opens.
   */
  permissions: (
    | 'devices'
    | 'vehicles'
    | 'positions'
    | 'trips'
    | 'events'
    | 'dtcs'
    | 'aggregations'
    | 'areas'
    | 'rules'
    | 'incidents'
    | 'settings'
    | 'ingest'
    | 'administration'
  )[]
  /**
   * When the key was created.
   */
  createdTimestamp: string
  expiresTimestamp: string | null
  madeBy: {
    /**
     * What made it.
     */
    kind: 'user' | 'key'
    /**
     * Id of the user or key.
     */
    id: string
    /**
     * E-mail address of the user, or name of the key.
     */
    name: string
  } | null
  /**
   * Whoever made it may not administrate any more: it opens nothing until somebody takes it over.
   */
  isResting: boolean
}
export interface NewKey {
  /**
   * What the key is for.
   */
  name: string
  /**
   * What the key opens. An administrator may grant any permission of the list.
   *
   * @minItems 1
   */
  permissions: (
    | 'devices'
    | 'vehicles'
    | 'positions'
    | 'trips'
    | 'events'
    | 'dtcs'
    | 'aggregations'
    | 'areas'
    | 'rules'
    | 'incidents'
    | 'settings'
    | 'ingest'
    | 'administration'
  )[]
  expiresTimestamp?: string | null
}
export interface CreatedKey {
  /**
   * Id of the key.
   */
  id: string
  /**
   * What the key is for.
   */
  name: string
  /**
   * What the key opens.
   */
  permissions: (
    | 'devices'
    | 'vehicles'
    | 'positions'
    | 'trips'
    | 'events'
    | 'dtcs'
    | 'aggregations'
    | 'areas'
    | 'rules'
    | 'incidents'
    | 'settings'
    | 'ingest'
    | 'administration'
  )[]
  /**
   * When the key was created.
   */
  createdTimestamp: string
  expiresTimestamp: string | null
  madeBy: {
    /**
     * What made it.
     */
    kind: 'user' | 'key'
    /**
     * Id of the user or key.
     */
    id: string
    /**
     * E-mail address of the user, or name of the key.
     */
    name: string
  } | null
  /**
   * Whoever made it may not administrate any more: it opens nothing until somebody takes it over.
   */
  isResting: boolean
  /**
   * The key itself. It is not shown again.
   */
  key: string
}
export interface NewDevice {
  /**
   * IMEI of the dongle, or another number that it reports under.
   */
  deviceId: number
  /**
   * Takes 15 digits of which the last is not the check digit of an IMEI.
   */
  anyCheckDigit?: boolean
  /**
   * VIN of the car. If the account has that car without a dongle, this one is in it.
   */
  vin?: string
  /**
   * Number plate.
   */
  licensePlate?: string
  /**
   * Make of the car; by its VIN if absent.
   */
  make?: string
  /**
   * Model.
   */
  model?: string
  /**
   * Type.
   */
  vehicle?: string
  /**
   * Fuel type; wins over what the dongle reports.
   */
  fuelType?: string
  /**
   * Number of the make in the TecDoc catalogue.
   */
  tecDocMakeId?: number
  /**
   * Number of the model in the TecDoc catalogue.
   */
  tecDocModelId?: number
  /**
   * Number of the type in the TecDoc catalogue (KTypNr).
   */
  tecDocVehicleId?: number
  /**
   * Numbers of the German registration, HSN and TSN.
   */
  kba?: string
  /**
   * Model of the dongle, until it names its own.
   */
  hardwareType?: string
}
export interface AddedDevice {
  /**
   * IMEI of the device.
   */
  deviceId: number
}
export interface MovedDevice {
  /**
   * IMEI of the device.
   */
  deviceId: number
  /**
   * The vehicle that the dongle is in.
   */
  vehicleId: string
  /**
   * Since when.
   */
  fromTimestamp: string
}
export interface SecurityLog {
  /**
   * The newest first.
   */
  lines: SecurityLine[]
}
/**
 * Who did what, when, and from where.
 */
export interface SecurityLine {
  /**
   * Id of the line.
   */
  id: string
  /**
   * When it happened.
   */
  timestamp: string
  /**
   * What happened.
   */
  kind:
    | 'login'
    | 'login-failed'
    | 'logins-slowed'
    | 'logout'
    | 'refresh-token-reused'
    | 'password-changed'
    | 'user-created'
    | 'user-changed'
    | 'user-removed'
    | 'key-created'
    | 'key-revoked'
    | 'key-taken-over'
    | 'device-added'
    | 'device-moved'
    | 'device-deleted'
    | 'device-refused'
    | 'map-chosen'
    | 'positions-read'
    | 'data-exported'
    | 'lines-lost'
  /**
   * Who did it; of a login that failed, whose it would have been.
   */
  caller: {
    /**
     * A user, a key, or the service itself.
     */
    kind: 'user' | 'key' | 'service'
    id: string | null
    /**
     * E-mail address of the user, or name of the key, as it was then.
     */
    name: string
  }
  address: string | null
  /**
   * More about it, such as the user who was changed (`email`) or the vehicle (`object`).
   */
  details: {
    [k: string]: unknown
  }
}
/**
 * Which map the console shows.
 */
export interface BaseMap {
  /**
   * Null while nobody has chosen, and where the style is that of MAP_STYLE_URL.
   */
  choice: ('openfreemap' | 'openstreetmap' | 'file' | 'none') | null
  /**
   * The setting that decides; null for none.
   */
  fixedBy: string | null
  /**
   * Whether this caller may choose.
   */
  mayChoose: boolean
}
export interface MapChoice {
  /**
   * Whose streets are shown: those of two public servers, of the operator's file (`MAP_FILE`), or none.
   */
  choice: 'openfreemap' | 'openstreetmap' | 'file' | 'none'
}
/**
 * How the service is.
 */
export interface Operation {
  /**
   * When this was asked, by the clock of the machine.
   */
  timestamp: string
  parts: ServicePart[]
  /**
   * Samples of this account that were received and are not stored yet.
   */
  pendingSamples: number
  /**
   * The last first: all, to administrators of the first account, else of dongles of this account.
   */
  refused: RefusedSender[]
  /**
   * Null to administrators of other accounts than the first.
   */
  machine: Machine | null
}
/**
 * A part of the service, and how it is.
 */
export interface ServicePart {
  /**
   * database, intake, or storing of what arrives.
   */
  name: string
  /**
   * failing: requests are answered, but something does not work. not ready: it cannot be used.
   */
  status: 'ready' | 'failing' | 'not ready'
  reason: string | null
  sinceTimestamp: string | null
}
/**
 * Somebody whose frames or logins were refused.
 */
export interface RefusedSender {
  /**
   * When it was refused last.
   */
  lastTimestamp: string
  /**
   * How often, as far as frames are kept.
   */
  times: number
  /**
   * The protocol.
   */
  gateway: string
  /**
   * The dongle that the sender claims to be; null where it does not say.
   */
  deviceId: number | null
  /**
   * The address it came from.
   */
  sender: string
  /**
   * Why, as far as it decides what can be done.
   */
  reason: 'unreadable' | 'unknown device' | 'claimed device' | 'network' | 'not stored'
  /**
   * The same in words.
   */
  why: string
  /**
   * The dongle is registered by now.
   */
  isKnown: boolean
}
/**
 * Machine and database; null means that it cannot be known now.
 */
export interface Machine {
  /**
   * For how long the oldest stored record has been waiting to be derived.
   */
  underivedSeconds: number | null
  /**
   * Size of the database.
   */
  databaseBytes: number | null
  disk: {
    /**
     * Free space.
     */
    freeBytes: number
    /**
     * Its size.
     */
    sizeBytes: number
    /**
     * Days until it is full as it fills; null while it does not, and in the first hour.
     */
    daysLeft: number | null
  } | null
  backup: {
    /**
     * Age of the newest backup; null while there is none.
     */
    ageSeconds: number | null
    /**
     * Seconds up to now that are in no backup: what would be lost with the disk; null while nothing is archived.
     */
    logLagSeconds: number | null
  } | null
  processes: {
    /**
     * What it does.
     */
    process: 'api' | 'intake'
    /**
     * The machine.
     */
    host: string
    /**
     * Its number there.
     */
    pid: number
    /**
     * When it started.
     */
    sinceTimestamp: string
  }[]
  standbys: {
    /**
     * Its application_name.
     */
    name: string
    /**
     * What it has not replayed yet; null where Tacho may not know.
     */
    lagBytes: number | null
    /**
     * How old that is; null where Tacho may not know, and when it has replayed all.
     */
    lagSeconds: number | null
  }[]
  /**
   * By how much the clock of this machine is ahead of that of the database.
   */
  clockDifferenceSeconds: number | null
  pending: {
    account: string | null
    /**
     * Samples that wait to be committed.
     */
    samples: number
  }[]
  failingJobs: {
    /**
     * What it does.
     */
    name: string
    /**
     * Since when every run fails.
     */
    sinceTimestamp: string
    /**
     * How many runs in a row have failed.
     */
    failures: number
  }[]
}
