/** A car, as far as a dongle can tell. */
export interface Car {
  readonly vin: string
  readonly engine: 'combustion' | 'electric'
  /** A combustion engine that an electric motor relieves: it is off wherever little power is needed. */
  readonly isHybrid?: boolean
  /** Litres of the tank, or kilowatt-hours of the high-voltage battery. */
  readonly capacity: number
  /** Range of a full tank or battery. */
  readonly rangeKm: number
  readonly restingVolts: number
  /** The size of one step of the odometer reading. */
  readonly odometerStepM: number
}

/** A fault code that a control unit stores for a while. */
export interface Fault {
  readonly code: string
  readonly kind: 'permanent' | 'sporadic'
  readonly fromMs: number
  /** undefined while it is stored. */
  readonly toMs: number | undefined
}
