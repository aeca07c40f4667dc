import { defineTexts } from '../language/language.ts'
import type { SetupName, Way } from './setup.ts'

interface WayTexts {
  readonly name: string
  /** Where the lines below are typed. */
  readonly where: string
}

const ways: Readonly<Record<Way, WayTexts>> = {
  teltonika: {
    name: 'Teltonika',
    where: 'In the Teltonika Configurator under GPRS, Server Settings, and under System, Data Protocol.',
  },
  mqtt: {
    name: 'MQTT',
    where: 'The device publishes to your broker; the operator connects Tacho to the same broker with MQTT_URL.',
  },
  phone: {
    name: 'Phone',
    where: 'In Traccar Client as the server URL. The device identifier of the app is the number of the phone here.',
  },
  traccar: { name: 'Traccar server', where: 'In conf/traccar.xml of the Traccar server, which is then restarted.' },
  http: { name: 'Program', where: 'This is how a program sends its measurements. The API documentation says more.' },
}

const names: Readonly<Record<SetupName, string>> = {
  server: 'Server (domain)',
  port: 'Port',
  protocol: 'Protocol',
  codec: 'Data protocol',
  topic: 'Topic',
  quality: 'Delivery',
  url: 'Server URL',
  lines: 'Lines',
  request: 'Request',
}

export const addDongleTexts = defineTexts('addDongle', {
  title: 'Add a device',
  whichTitle: '1. Which device is it?',
  way: 'What reports',
  ways,
  imei: 'IMEI or number',
  imeiHint: 'It is on the label of the device. A phone has the number that its app shows.',
  register: 'Register and wait for it',
  wait: 'Wait for it',
  setUpTitle: '2. Tell it where to report',
  names,
  copy: 'Copy',
  copied: 'Copied',
  teltonikaOff:
    'This server does not listen for Teltonika devices. Its operator opens a port for them with TELTONIKA_PORT.',
  keyHint: 'KEY stands for a key with the role Integrator.',
  makeKey: 'Create one under Administration',
  loopback:
    'You have opened the console at an address of this machine only. A device needs one that it can reach over the mobile network.',
  waitTitle: '3. Wait for its first contact',
  waitFirst: 'Enter its number above first.',
  waiting: (imei: string) => `Waiting for the first contact of ${imei} …`,
  waitingHint: 'This page notices by itself. A device reports when it has power and reception, usually within minutes.',
  refusedHint: 'Administration, Operation says whose reports were refused, and why.',
  here: (imei: string) => `The device ${imei} has reported.`,
  hereWithoutValues: (imei: string) => `The device ${imei} is connected. Values follow as soon as it sends some.`,
  nameTitle: '4. Name its car',
  plate: 'Licence plate',
  save: 'Save',
  saved: 'The car has its name.',
  openCar: 'To the car',
  nameLater: 'The car appears with its first values.',
})
