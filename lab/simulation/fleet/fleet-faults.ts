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
    description: 'restarts while driving: nothing is recorded for 20 to 60 s, and then no position for a while',
  },
  { name: 'clock-jump', description: 'timestamps are wrong for up to a minute: some seconds back, or by decades' },
  { name: 'drift', description: 'the position of a parked car wanders by tens of metres' },
  { name: 'zero', description: 'the receiver says 0,0 now and then' },
  {
    name: 'unplugged',
    description: 'pulled out while driving and plugged in again when the car has been parked for a while',
  },
  { name: 'moved', description: 'every few days two dongles change cars' },
  { name: 'silence', description: 'nothing is recorded for six minutes under way' },
  { name: 'long-tunnel', description: 'no position for thirteen minutes' },
  {
    name: 'old-fix',
    description: 'at the beginning of a drive the receiver repeats a fix from far away, as after a ferry',
  },
  { name: 'spoofing', description: 'for up to five minutes all fixes are 15 to 40 km away and move as the car does' },
  { name: 'half-zero', description: 'for a while latitude or longitude is 0, and the other one right' },
  {
    name: 'charging',
    description: 'the ignition of a parked car is on for hours, and the dongle reports as on a drive',
  },
  { name: 'vibration', description: 'a parked car is shaken for hours, so that the dongle feels motion' },
  { name: 'jitter', description: 'fixes of a parked car are anywhere within 75 m, with speeds to match' },
  { name: 'stuck-speed', description: 'ignition on, a control unit of a parked car repeats its last speed for hours' },
  { name: 'zero-odometer', description: 'at the beginning of a drive the odometer is 0 until the car has answered' },
  { name: 'replaced', description: 'every few days the dongle of a car is replaced by another one of its kind' },
  {
    name: 'cluster-swap',
    description: 'every few days, on a drive, the odometer becomes another one with another count',
  },
  { name: 'miles', description: 'the odometers of some cars count miles' },
  { name: 'fast-odometer', description: 'the odometers of some cars count up to 15 % too much' },
  { name: 'held-fix', description: 'for a minute under way the receiver repeats its last fix' },
  { name: 'factory-fix', description: 'at the beginning of a drive the receiver tells where it was made' },
  { name: 'far-fix', description: 'single fixes are kilometres off' },
  { name: 'ignition-tries', description: 'the ignition is on for 40 s, and nobody drives' },
] as const

export type FleetFault = (typeof FLEET_FAULTS)[number]['name']
