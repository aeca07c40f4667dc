const STANDARD_GRAVITY_MPS2 = 9.80665

export type HarshManoeuvre = 'acceleration' | 'braking' | 'cornering'
export type VehicleClass = 'CAR' | 'VAN' | 'TRUCK'

/**
 * From which acceleration on a manoeuvre is harsh, in g. Cars: rapid starts, hard stops and hard turns as Simons-Morton et al. define
 * them (naturalistic teenage driving study, American Journal of Epidemiology, 2012). Trucks: half of what the load must be secured
 * against (EN 12195-1: 0.8 g to the front, 0.5 g to the side and to the back). Vans lie between.
 */
const THRESHOLDS_G: Readonly<Record<VehicleClass, Readonly<Record<HarshManoeuvre, number>>>> = {
  CAR: { acceleration: 0.35, braking: 0.45, cornering: 0.5 },
  VAN: { acceleration: 0.3, braking: 0.42, cornering: 0.4 },
  TRUCK: { acceleration: 0.25, braking: 0.4, cornering: 0.25 },
}

/** From which acceleration on, in m/s², a manoeuvre is harsh for vehicles of a class. */
export function harshThresholdMps2(manoeuvre: HarshManoeuvre, vehicleClass: VehicleClass): number {
  return THRESHOLDS_G[vehicleClass][manoeuvre] * STANDARD_GRAVITY_MPS2
}
