import { chance, diceOf } from '../chance.ts'
import { KM_PER_MILE, showing } from '../disturbances/dongle-faults.ts'
import type { Recording } from '../recording.ts'
import { FIRST_DAY } from './car-day.ts'
import type { DongleDay } from './dongle-day.ts'
import type { VirtualCar } from './virtual-fleet.ts'

/** What is wrong with the odometer of a car is the same for every dongle in it, on every day. */
type CarDisturbance = (recording: Recording, seed: number, day: DongleDay) => Recording

const SHARE_OF_CARS = 0.25

/** The odometer of some cars counts miles. */
export const countsMiles: CarDisturbance = (recording, _, { virtualCar: { seed } }) =>
  chance(seed, 151) < SHARE_OF_CARS ? showing(recording, km => km / KM_PER_MILE) : recording

const LEAST_TOO_MUCH = 0.03
const MOST_TOO_MUCH = 0.15

/** That of some cars has counted too much since the fleet began. */
export const countsTooMuch: CarDisturbance = (recording, _, { virtualCar: { seed, firstOdometerM } }) => {
  const dice = diceOf(seed, 152)
  if (!dice.happens(SHARE_OF_CARS)) return recording
  const by = dice.between(LEAST_TOO_MUCH, MOST_TOO_MUCH)
  return showing(recording, km => km + (km - firstOdometerM / 1000) * by)
}

const CLUSTER_DAYS = 5
const OLDEST_KM = 250_000

/** Every few days another instrument cluster shows another count, from the middle of a drive on. */
export const swapsClusters: CarDisturbance = (recording, _, { virtualCar, day, plan: { drives } }) => {
  const days = day - FIRST_DAY + (virtualCar.seed % CLUSTER_DAYS)
  const cluster = Math.floor(days / CLUSTER_DAYS)
  const now = addedKm(virtualCar, cluster)
  const drive = drives[Math.floor(chance(virtualCar.seed, cluster, 153) * drives.length)]
  if (days % CLUSTER_DAYS !== 0 || !drive) return showing(recording, km => km + now)
  const before = addedKm(virtualCar, cluster - 1)
  const swappedMs = (drive.startMs + drive.endMs) / 2
  return showing(recording, (km, timeMs) => km + (timeMs < swappedMs ? before : now))
}

/** What a cluster shows more, or less, than the car has been driven; with the first one nothing. */
function addedKm({ seed, firstOdometerM }: VirtualCar, cluster: number): number {
  if (cluster <= 0) return 0
  return diceOf(seed, cluster, 154).whole(-Math.floor(firstOdometerM / 1000), OLDEST_KM)
}
