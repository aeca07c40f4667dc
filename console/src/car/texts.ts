import type { BatteryState } from '../fleet/battery.ts'
import { defineTexts } from '../language/language.ts'

interface BatteryTexts {
  readonly word: string
  /** What to do about it; empty when nothing. */
  readonly advice: string
}

const batteryStates: Readonly<Record<BatteryState, BatteryTexts>> = {
  Normal: { word: 'In order', advice: '' },
  Loading: { word: 'Charging', advice: 'The alternator or a charger is charging it.' },
  Overvoltage: { word: 'Overvoltage', advice: 'Have the alternator and its regulator checked soon.' },
  Warning: { word: 'Low', advice: 'Drive for a while or charge it, else the car may not start.' },
  'Very Low': { word: 'Very low', advice: 'Charge it now. The car will probably not start.' },
  Empty: { word: 'Empty', advice: 'Charge or replace it, and check that it is connected.' },
}

export const carTexts = defineTexts('car', {
  vin: 'VIN',
  fuel: 'Fuel',
  dongle: 'Device',
  noDongle: 'no device',
  showOnMap: 'Show on the map',
  currentTrip: 'Current trip',
  lastTrip: 'Latest trip',
  trips: 'Trips of this car',
  where: 'Where it is',
  whereMap: (car: string, place: string) => `Map: ${car} at ${place}`,
  positionOf: (age: string) => `position: ${age}`,
  today: 'Today',
  noTripsToday: 'No trips so far.',
  hidden: 'This car is hidden: it is on no map and in no list.',
  restore: 'Restore the car',

  driveBattery: 'Drive battery',
  range: 'Range',
  charging: 'Charging',
  chargingNow: 'yes',
  notCharging: 'no',
  chargingUnknown: 'not known',
  batteryHealth: 'Health',
  battery: 'Starter battery',
  batteryStates,
  wasCharging: 'Was charging',
  batteryUnknown: 'This car has not reported its voltage yet.',
  showInChart: (name: string) => `Show ${name} in the chart`,

  faults: 'Fault codes',
  milOn: 'The engine warning light is on.',
  noFaults: 'No fault codes.',
  faultsNotRead: 'No fault codes have been read from this car so far, so whether it has any is not known.',
  faultsUnnamed: 'The car says that it has fault codes, but its device has not read which.',
  noFaultText: 'No text known for this code',
  since: (age: string) => `since ${age}`,
  allFaults: 'Faults of the fleet',
  noFaultsPermission: 'You have no permission to see fault codes.',

  device: 'Device',
  connection: 'Connection',
  plug: 'Plug',
  standby: 'Standby',
  gps: 'GPS',
  satellites: (inUse: string) => `${inUse} satellites`,
  satellitesOf: (inUse: string, inView: string) => `${inUse} of ${inView} satellites`,
  supply: 'Voltage',
  firmware: 'Firmware',
  hardware: 'Hardware',
  heard: 'Last contact',
  newest: 'Newest value',
  noDevice: 'There is no device in this car at the moment.',

  latest: 'Latest values',
  latestHint: 'Select a value to see how it developed.',
  stale: 'Out of date',
  nothing: 'This car has not sent anything yet',
  nothingHint: 'Values appear here by themselves as soon as its device sends them.',

  settings: 'Settings',
  plate: 'Licence plate',
  vinHint: '17 letters and digits without I, O and Q. With a new VIN this page gets a new address.',
  vinWrong: 'A VIN has 17 letters and digits, and no I, O or Q.',
  plateWrong: 'A plate has at most 100 characters.',
  make: 'Make',
  model: 'Model',
  fuelType: 'Fuel',
  color: 'Colour',
  group: 'Group',
  groupHint: 'A site or a department, for example. The list of cars can be grouped by it.',
  ownWordsHint: 'If left empty, make and fuel are taken from the VIN and the device.',
  alarmSystem: 'Has an additional alarm system',
  alarmUnknown: 'Not specified yet.',
  saved: 'The settings are saved.',
  hide: 'Hide the car',
  hideTitle: 'Hide this car?',
  hideText: (name: string) =>
    `${name} disappears from the map and the lists. Its data stays, new data is still taken, and you can restore it at any time: here, or under Devices.`,

  hiddenCars: 'Hidden cars',
  hiddenSince: (date: string) => `hidden since ${date}`,
})
