/** The objects of the contract, as a client written against it sees them. */

export interface Device {
  readonly id: number
  readonly manufacturer: string
  readonly hardwareType: string
  readonly hardwareVersion: string
  readonly firmwareVersion: string
  readonly isOnline: boolean
  readonly isPluggedIn: boolean
  readonly vehicleId: string
  readonly tripId: string
  readonly modifyTimestamp: string
}

export interface LastEvent {
  readonly deviceId: number
  readonly recordedTimestamp: string
  readonly eventType: string
  readonly dataType: string
  readonly value: number | boolean | string
  readonly unit?: string
  readonly unitId?: number
}

export interface Vehicle {
  readonly id: string
  readonly vin: string
  readonly tecDocMakeId: number
  readonly tecDocModelId: number
  readonly tecDocVehicleId: number
  readonly make: string
  readonly model: string
  readonly vehicle: string
  readonly fuelType: string
  readonly kba: string
  readonly licensePlate: string
  readonly deviceId: number | null
  readonly tripId: string
  readonly lastEvents: readonly LastEvent[]
  readonly modifyTimestamp: string
  readonly deleteTimestamp: string | null
}

export interface Address {
  readonly id: string
  readonly road: string
  readonly houseNumber: string
  readonly suburb: string
  readonly locality: string
  readonly state: string
  readonly country: string
  readonly postcode: string
  readonly lat: number
  readonly lon: number
}

export interface TripAggregation {
  readonly eventType: string
  readonly dataType: string
  readonly aggregationType: string
  readonly value: number | string
  readonly unit_id?: number
  readonly unit?: string
}

export interface Trip {
  readonly id: string
  readonly deviceId: number
  readonly vehicleId: string
  readonly tripStartAddress: Address | null
  readonly tripEndAddress: Address | null
  readonly distance: number
  readonly duration: number
  readonly tripStartTimestamp: string
  readonly tripEndTimestamp: string
  readonly aggregations: readonly TripAggregation[]
  readonly deleteTimestamp: string | null
  readonly modifyTimestamp: string
}

export interface Dtc {
  readonly id: string
  readonly vehicleId: string
  readonly deviceId: number
  readonly ecuTypeId: number
  readonly ecuType: string
  readonly code: string
  readonly encoded: string
  readonly encoding: string
  readonly label: string
  readonly dtcType: string
  readonly recordedTimestamp: string
  readonly deleteTimestamp: string | null
  readonly modifyTimestamp: string
}

export interface EventItem {
  readonly event_type: string
  readonly data_type: string
  readonly value: number | boolean | string
  readonly unit?: string
  readonly unit_id?: number
  readonly device_id: number
  readonly recorded_timestamp: string
}

export interface Aggregation {
  readonly vehicleId: string
  readonly eventType: string
  readonly dataType: string
  readonly aggregationType: string
  readonly value: number
  readonly unitId: number
  readonly unit: string
  readonly bin: string
}

export interface DeviceList {
  readonly devices: readonly Device[]
  readonly modifyTimestamp: string
}

export interface VehicleList {
  readonly vehicles: readonly Vehicle[]
  readonly modifyTimestamp: string
}

export interface TripList {
  readonly trips: readonly Trip[]
  readonly modifyTimestamp: string
}

export interface DtcList {
  readonly dtcs: readonly Dtc[]
  readonly modifyTimestamp: string
}

export interface ErrorBody {
  readonly errorMessage: string
}
