import { defineTexts } from '../language/language.ts'
import type { SetupName, Way } from './setup.ts'

interface WayTexts {
  readonly name: string
  /** Where the lines below are typed. */
  readonly where: string
}

const englishWays: Readonly<Record<Way, WayTexts>> = {
  teltonika: {
    name: 'Teltonika',
    where:
      'In the Teltonika Configurator under GPRS, Server Settings, and under System, Data Protocol. If the operator of this server chose another port (TELTONIKA_PORT), use that.',
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
  http: { name: 'Program', where: 'A program sends its measurements so. The API documentation says more.' },
}

const germanWays: Readonly<Record<Way, WayTexts>> = {
  teltonika: {
    name: 'Teltonika',
    where:
      'Im Teltonika Configurator unter „GPRS“, „Server Settings“, und unter „System“, „Data Protocol“. Hat der Betreiber dieses Servers einen anderen Port gewählt (TELTONIKA_PORT), gilt der.',
  },
  mqtt: {
    name: 'MQTT',
    where: 'Das Gerät sendet an Ihren Broker; der Betreiber verbindet Tacho über MQTT_URL mit demselben Broker.',
  },
  phone: {
    name: 'Telefon',
    where: 'Im Traccar Client als Server-URL. Die Gerätekennung der App ist hier die Nummer des Telefons.',
  },
  traccar: {
    name: 'Traccar-Server',
    where: 'In conf/traccar.xml des Traccar-Servers, der danach neu gestartet wird.',
  },
  http: { name: 'Programm', where: 'So sendet ein Programm seine Messwerte. Mehr steht in der API-Dokumentation.' },
}

const englishNames: Readonly<Record<SetupName, string>> = {
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

const germanNames: Readonly<Record<SetupName, string>> = {
  server: 'Server (Domain)',
  port: 'Port',
  protocol: 'Protokoll',
  codec: 'Datenprotokoll',
  topic: 'Topic',
  quality: 'Zustellung',
  url: 'Server-URL',
  lines: 'Zeilen',
  request: 'Anfrage',
}

export const addDongleTexts = defineTexts(
  {
    title: 'Add a dongle',
    whichTitle: '1. Which dongle is it?',
    way: 'What reports',
    ways: englishWays,
    imei: 'IMEI or number',
    imeiHint: 'It is on the label of the dongle. A phone has the number that its app shows.',
    register: 'Register and wait for it',
    wait: 'Wait for it',
    setUpTitle: '2. Tell it where to report',
    names: englishNames,
    copy: 'Copy',
    copied: 'Copied',
    keyHint: 'KEY stands for a key with the role Integrator.',
    makeKey: 'Make one under Administration',
    loopback:
      'You have opened the console at an address of this machine only. A dongle needs one that it can reach over the mobile network.',
    waitTitle: '3. Wait for its first contact',
    waitFirst: 'Enter its number above first.',
    waiting: (imei: string) => `Waiting for the first contact of ${imei} …`,
    waitingHint:
      'This page notices by itself. A dongle reports when it has power and reception, usually within minutes.',
    refusedHint: 'Administration, Operation says whose reports were refused, and why.',
    here: (imei: string) => `The dongle ${imei} has reported.`,
    hereWithoutValues: (imei: string) => `The dongle ${imei} is connected. Values follow as soon as it sends some.`,
    nameTitle: '4. Name its car',
    plate: 'License plate',
    save: 'Save',
    saved: 'The car has its name.',
    openCar: 'To the car',
    nameLater: 'The car appears with its first values.',
  },
  {
    title: 'Dongle hinzufügen',
    whichTitle: '1. Welcher Dongle ist es?',
    way: 'Was meldet',
    ways: germanWays,
    imei: 'IMEI oder Nummer',
    imeiHint: 'Sie steht auf dem Aufkleber des Dongles. Ein Telefon hat die Nummer, die seine App zeigt.',
    register: 'Eintragen und auf ihn warten',
    wait: 'Auf ihn warten',
    setUpTitle: '2. Sagen Sie ihm, wohin er meldet',
    names: germanNames,
    copy: 'Kopieren',
    copied: 'Kopiert',
    keyHint: 'KEY steht für einen Schlüssel mit der Rolle Integration.',
    makeKey: 'Unter Verwaltung anlegen',
    loopback:
      'Sie haben die Konsole unter einer Adresse geöffnet, die nur dieser Rechner kennt. Ein Dongle braucht eine, die er über das Mobilfunknetz erreicht.',
    waitTitle: '3. Auf den ersten Kontakt warten',
    waitFirst: 'Geben Sie zuerst oben seine Nummer ein.',
    waiting: imei => `Warten auf den ersten Kontakt von ${imei} …`,
    waitingHint:
      'Diese Seite bemerkt ihn von selbst. Ein Dongle meldet sich, sobald er Strom und Empfang hat, meist binnen Minuten.',
    refusedHint: 'Unter Verwaltung, Betrieb steht, wessen Meldungen abgewiesen wurden, und warum.',
    here: imei => `Der Dongle ${imei} hat sich gemeldet.`,
    hereWithoutValues: imei => `Der Dongle ${imei} ist verbunden. Werte folgen, sobald er welche sendet.`,
    nameTitle: '4. Das Fahrzeug benennen',
    plate: 'Kennzeichen',
    save: 'Speichern',
    saved: 'Das Fahrzeug hat seinen Namen.',
    openCar: 'Zum Fahrzeug',
    nameLater: 'Das Fahrzeug erscheint mit seinen ersten Werten.',
  },
)
