import type { Witness } from '../../../facts/trips/derive/testimony.ts'

/** The witnesses as the contract writes words of a closed list: who decides before others first. */
export const WITNESS_WORDS = {
  ignition: 'IGNITION',
  engine: 'ENGINE',
  carSpeed: 'CAR_SPEED',
  receiverSpeed: 'RECEIVER_SPEED',
  unmovedFix: 'UNMOVED_POSITION',
  stillOdometer: 'STILL_ODOMETER',
  isMoving: 'MOTION_SENSOR',
  droveOn: 'DROVE_ON',
} as const satisfies Readonly<Record<Witness, string>>
