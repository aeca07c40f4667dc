import type { Operations } from './schema.ts'

/** The objects of the API by their names in the contract. */
export type Vehicle = Operations['GET /cc/v2.0/vehicles/{vehicleId}']['reply']
export type LastEvent = Vehicle['lastEvents'][number]
export type Device = Operations['GET /cc/v2.0/devices/{deviceId}']['reply']
export type Trip = Operations['GET /cc/v2.0/trips/{tripId}']['reply']
export type TripExplanation = Operations['GET /cc/v2.0/trips/{tripId}/explain']['reply']
export type FoundPlace = Operations['GET /cc/v2.0/places']['reply']['places'][number]
export type Address = NonNullable<Trip['tripStartAddress']>
export type Dtc = Operations['GET /cc/v2.0/dtcs']['reply']['dtcs'][number]
export type Aggregation = Operations['GET /cc/v2.0/aggregations']['reply'][number]
export type DrivingHour = Operations['GET /cc/v2.0/aggregations/hours']['reply'][number]
export type EventItem = Operations['GET /cc/v2.0/events']['reply'][number]
export type Area = Operations['GET /cc/v2.0/areas/{areaId}']['reply']
export type AreaVisit = Operations['POST /cc/v2.0/visits']['reply']['visits'][number]
export type Incident = Operations['GET /cc/v2.0/incidents/{incidentId}']['reply']
export type Severity = Incident['severity']
export type Rule = Operations['GET /cc/v2.0/rules']['reply']['rules'][number]
export type RuleKind = Operations['GET /cc/v2.0/rule-kinds']['reply'][number]
export type Permission = Operations['GET /auth/session']['reply']['permissions'][number]
