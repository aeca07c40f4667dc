import { sensesIgnition } from '../dongle.ts'
import { trueTripOf } from '../truth.ts'
import { type ExpectedDrive, expectedDrives, expectedWhole } from '../witnessed/expected-drives.ts'
import { disturbedDay, isDisturbed } from './disturbed-day.ts'
import { type DongleDay, plainRecording } from './dongle-day.ts'
import { recentDays } from './recent-days.ts'
import type { VirtualDongle } from './virtual-fleet.ts'

const worked = recentDays<readonly ExpectedDrive[]>(2)

/** The drives of a day as far as the dongle in the car could know of them; a silence may have cut one in two. */
export function witnessedDrives(virtualDongle: VirtualDongle, dongleDay: DongleDay): readonly ExpectedDrive[] {
  return worked(virtualDongle, dongleDay.day, () => witnessedAnew(virtualDongle, dongleDay))
}

function witnessedAnew(virtualDongle: VirtualDongle, dongleDay: DongleDay): readonly ExpectedDrive[] {
  if (isDisturbed(virtualDongle)) return expectedDrives(disturbedDay(virtualDongle, dongleDay).recording)
  const { dongle } = virtualDongle
  const { car, drives } = dongleDay.plan
  // Nothing hides from a dongle that tells much and often.
  if (!dongle.tellsAllAtOnce && (sensesIgnition(dongle, car) || dongle.awareness === 'motion'))
    return drives.map(drive => expectedWhole(trueTripOf(drive), sensesIgnition(dongle, car)))
  return expectedDrives(plainRecording(dongleDay))
}
