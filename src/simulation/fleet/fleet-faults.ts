/** What can happen to the dongles of a virtual fleet, in the words of the command line. */
export const FLEET_FAULTS = [
  {
    name: 'tunnel',
    description: 'no position and no network for a minute or two; what was recorded is sent afterwards',
  },
  {
    name: 'garage',
    description: 'parked below the ground for hours: no position, no network; first live samples, then the rest',
  },
  { name: 'duplicates', description: 'packets come again, as if their acknowledgement was lost' },
  {
    name: 'reboot',
    description: 'starts anew while driving: nothing is recorded for 20 to 60 s, and then no position for a while',
  },
  { name: 'clock-jump', description: 'stamps are wrong for up to a minute: some seconds back, or by decades' },
  { name: 'drift', description: 'the position of a parked car wanders by tens of metres' },
  { name: 'zero', description: 'the receiver says 0,0 now and then' },
  {
    name: 'unplugged',
    description: 'pulled out while driving and plugged in again when the car has been parked for a while',
  },
  { name: 'moved', description: 'every few days two dongles change cars' },
] as const

export type FleetFault = (typeof FLEET_FAULTS)[number]['name']
