import type { Language } from '../language/language.ts'
import type { MeasurementGroup } from './groups.ts'

/** How an event type of the contract is shown to people. */
export interface EventTypeName {
  readonly group: MeasurementGroup
  /** How many digits after the decimal point say something. */
  readonly digits: number
  readonly name: Readonly<Record<Language, string>>
}

const row =
  (group: MeasurementGroup) =>
  (digits: number, en: string, de: string): EventTypeName => ({ group, digits, name: { en, de } })

const driving = row('driving')
const engine = row('engine')
const fuel = row('fuel')
const electric = row('electric')
const battery = row('battery')
const service = row('service')
const behaviour = row('behaviour')
const dongle = row('dongle')
const identification = row('identification')

/** Every event type of the contract (fleet-api-v2.md, *Events*), within a group in the order in which it is shown. */
export const EVENT_TYPE_NAMES: Readonly<Record<string, EventTypeName>> = {
  MILEAGE: driving(0, 'Odometer', 'Kilometerstand'),
  IS_IGNITION_ON: driving(0, 'Ignition', 'Zündung'),
  IS_MOVING: driving(0, 'In motion', 'In Bewegung'),
  VEHICLE_SPEED_AVERAGE: driving(0, 'Speed, average', 'Tempo, Mittel'),
  VEHICLE_SPEED_MIN: driving(0, 'Speed, lowest', 'Tempo, Minimum'),
  VEHICLE_SPEED_MAX: driving(0, 'Speed, highest', 'Tempo, Maximum'),
  GPS_SPEED: driving(0, 'Speed by GPS', 'Tempo nach GPS'),
  POSITION: driving(0, 'Position', 'Position'),
  GPS_COURSE: driving(0, 'Heading', 'Fahrtrichtung'),
  GPS_ALTITUDE: driving(0, 'Altitude', 'Höhe'),
  DRIVEN_DISTANCE: driving(1, 'Driven distance', 'Gefahrene Strecke'),
  TRIP_DURATION: driving(0, 'Trip duration', 'Fahrtdauer'),
  REMAINING_RANGE: driving(0, 'Range', 'Reichweite'),
  AMBIENT_AIR_TEMPERATURE: driving(1, 'Outside temperature', 'Außentemperatur'),
  ALARM_SYSTEM: driving(0, 'Alarm system', 'Alarmanlage'),

  ENGINE_STATE: engine(0, 'Engine', 'Motor'),
  ENGINE_RPM_AVERAGE: engine(0, 'Engine speed, average', 'Drehzahl, Mittel'),
  ENGINE_RPM_MIN: engine(0, 'Engine speed, lowest', 'Drehzahl, Minimum'),
  ENGINE_RPM_MAX: engine(0, 'Engine speed, highest', 'Drehzahl, Maximum'),
  ENGINE_LOAD_AVERAGE: engine(0, 'Engine load, average', 'Motorlast, Mittel'),
  ENGINE_LOAD_MIN: engine(0, 'Engine load, lowest', 'Motorlast, Minimum'),
  ENGINE_LOAD_MAX: engine(0, 'Engine load, highest', 'Motorlast, Maximum'),
  THROTTLE_POSITION_AVERAGE: engine(0, 'Throttle, average', 'Drosselklappe, Mittel'),
  THROTTLE_POSITION_MIN: engine(0, 'Throttle, lowest', 'Drosselklappe, Minimum'),
  THROTTLE_POSITION_MAX: engine(0, 'Throttle, highest', 'Drosselklappe, Maximum'),
  ENGINE_COOLANT_TEMPERATURE: engine(0, 'Coolant temperature', 'Kühlmitteltemperatur'),
  ENGINE_OIL_TEMPERATURE: engine(0, 'Oil temperature', 'Öltemperatur'),
  ENGINE_RUN_TIME: engine(0, 'Engine run time', 'Motorlaufzeit'),
  OIL_LEVEL: engine(1, 'Oil level', 'Ölstand'),
  OIL_WARNING_THRESHOLD: engine(1, 'Oil level of the warning', 'Ölstand der Warnung'),
  IS_OIL_LEVEL_OK: engine(0, 'Oil level in order', 'Ölstand in Ordnung'),

  FUEL_LEVEL_PERCENT: fuel(0, 'Fuel level', 'Tankfüllung'),
  FUEL_LEVEL: fuel(1, 'Fuel in the tank', 'Kraftstoff im Tank'),
  FUEL_REMAINING_RANGE: fuel(0, 'Range on fuel', 'Reichweite mit Kraftstoff'),
  FUEL_RATE_AVERAGE: fuel(2, 'Fuel rate, average', 'Verbrauch je Stunde, Mittel'),
  FUEL_RATE_MIN: fuel(2, 'Fuel rate, lowest', 'Verbrauch je Stunde, Minimum'),
  FUEL_RATE_MAX: fuel(2, 'Fuel rate, highest', 'Verbrauch je Stunde, Maximum'),
  CURRENT_FUEL_CONSUMPTION: fuel(1, 'Consumption now', 'Verbrauch jetzt'),
  AVERAGE_FUEL_CONSUMPTION: fuel(1, 'Consumption, average', 'Verbrauch, Mittel'),
  FUEL_TYPE: fuel(0, 'Fuel type', 'Kraftstoffart'),

  HV_BATTERY_SOC: electric(1, 'Charge of the drive battery', 'Ladestand der Antriebsbatterie'),
  HV_BATTERY_REMAINING_RANGE: electric(0, 'Electric range', 'Elektrische Reichweite'),
  HV_BATTERY_REMAINING_DISTANCE: electric(0, 'Electric range, share', 'Elektrische Reichweite, Anteil'),
  HV_BATTERY_REMAINING_ENERGY: electric(1, 'Energy left', 'Verbleibende Energie'),
  HV_BATTERY_REMAINING_CHARGE: electric(1, 'Charge left', 'Verbleibende Ladung'),
  HV_BATTERY_IS_CHARGING: electric(0, 'Charging', 'Wird geladen'),
  HV_BATTERY_CHARGING_STATUS: electric(0, 'Charging status', 'Ladestatus'),
  HV_BATTERY_CHARGING_POWER: electric(0, 'Charging power, share', 'Ladeleistung, Anteil'),
  HV_BATTERY_CHARGING_CURRENT: electric(1, 'Charging current', 'Ladestrom'),
  HV_BATTERY_CHARGING_DURATION: electric(0, 'Charging for', 'Lädt seit'),
  HV_BATTERY_REMAINING_CHARGING_DURATION: electric(0, 'Charging time left', 'Verbleibende Ladezeit'),
  HV_BATTERY_STATUS: electric(0, 'Status of the drive battery', 'Status der Antriebsbatterie'),
  HV_BATTERY_VOLTAGE: electric(1, 'Voltage of the drive battery', 'Spannung der Antriebsbatterie'),
  HV_BATTERY_TEMPERATURE: electric(1, 'Temperature of the drive battery', 'Temperatur der Antriebsbatterie'),
  HV_BATTERY_SOH: electric(1, 'Health of the drive battery', 'Gesundheit der Antriebsbatterie'),
  HV_BATTERY_CYCLE_COUNTER: electric(0, 'Charging cycles', 'Ladezyklen'),
  HV_BATTERY_INTERNAL_RESISTANCE: electric(3, 'Internal resistance', 'Innenwiderstand'),
  HV_BATTERY_TOTAL_CAPACITY: electric(1, 'Capacity now', 'Kapazität jetzt'),
  HV_BATTERY_TOTAL_MAXIMUM_CHARGE: electric(1, 'Greatest charge', 'Größte Ladung'),
  HV_BATTERY_NOMINAL_ENERGY_CAPACITY: electric(1, 'Capacity when new', 'Kapazität im Neuzustand'),

  BATTERY_STATE: battery(0, 'State of the starter battery', 'Zustand der Starterbatterie'),
  BATTERY_VOLTAGE: battery(2, 'Voltage of the starter battery', 'Spannung der Starterbatterie'),

  IS_MIL_ON: service(0, 'Engine warning light', 'Motorkontrollleuchte'),
  OBD_DTC_COUNT: service(0, 'Stored fault codes', 'Gespeicherte Fehlercodes'),
  OBD_DTC_PERMANENT: service(0, 'Permanent fault codes', 'Dauerhafte Fehlercodes'),
  OBD_DTC_SPORADIC: service(0, 'Sporadic fault codes', 'Sporadische Fehlercodes'),
  DISTANCE_MIL_ON: service(0, 'Driven with the warning light on', 'Gefahren mit Kontrollleuchte'),
  DISTANCE_SINCE_CODES_CLEARED: service(0, 'Driven since codes were cleared', 'Gefahren seit Löschen der Codes'),
  SERVICE_DATE: service(0, 'Service due', 'Service fällig'),
  SERVICE_EXCEEDED_DISTANCE: service(0, 'Service overdue by', 'Service überzogen um'),
  SERVICE_EXCEEDED_TIME: service(0, 'Service overdue for', 'Service überzogen seit'),
  INSPECTION_REMAINING_DISTANCE: service(0, 'Distance until inspection', 'Strecke bis zur Inspektion'),
  INSPECTION_REMAINING_TIME: service(0, 'Time until inspection', 'Zeit bis zur Inspektion'),
  MAX_DISTANCE_UNTIL_INSPECTION: service(0, 'Inspection interval, distance', 'Inspektionsintervall, Strecke'),
  MAX_TIME_UNTIL_INSPECTION: service(0, 'Inspection interval, time', 'Inspektionsintervall, Zeit'),
  DISTANCE_FROM_INSPECTION: service(0, 'Distance since inspection', 'Strecke seit der Inspektion'),
  TIME_FROM_INSPECTION: service(0, 'Time since inspection', 'Zeit seit der Inspektion'),
  OIL_SERVICE_DATE: service(0, 'Oil change due', 'Ölwechsel fällig'),
  OIL_CHANGE_REMAINING_DISTANCE: service(0, 'Distance until oil change', 'Strecke bis zum Ölwechsel'),
  OIL_CHANGE_REMAINING_TIME: service(0, 'Time until oil change', 'Zeit bis zum Ölwechsel'),
  GENERAL_INSPECTION_DATE: service(0, 'General inspection due', 'Hauptuntersuchung fällig'),

  DRIVING_SCORE: behaviour(0, 'Driving score', 'Fahrnote'),
  ACCELERATION_SCORE: behaviour(0, 'Acceleration score', 'Note für Beschleunigen'),
  BRAKING_SCORE: behaviour(0, 'Braking score', 'Note für Bremsen'),
  CORNERING_SCORE: behaviour(0, 'Cornering score', 'Note für Kurven'),
  GREEN_RPM_PERCENTAGE: behaviour(0, 'Engine in the green range', 'Drehzahl im grünen Bereich'),
  HARSH_ACCELERATION_COUNT: behaviour(0, 'Harsh accelerations', 'Starke Beschleunigungen'),
  HARSH_BRAKING_COUNT: behaviour(0, 'Harsh brakings', 'Starke Bremsungen'),
  HARSH_CORNERING_COUNT: behaviour(0, 'Harsh cornerings', 'Scharfe Kurven'),
  HARSH_ACCELERATION: behaviour(1, 'Harsh acceleration', 'Starke Beschleunigung'),
  HARSH_BRAKING: behaviour(1, 'Harsh braking', 'Starke Bremsung'),
  HARSH_LEFT_CORNERING: behaviour(1, 'Harsh left turn', 'Scharfe Linkskurve'),
  HARSH_RIGHT_CORNERING: behaviour(1, 'Harsh right turn', 'Scharfe Rechtskurve'),
  EXTREME_ACCELERATION: behaviour(1, 'Extreme acceleration', 'Extreme Beschleunigung'),
  EXTREME_BRAKING: behaviour(1, 'Extreme braking', 'Extreme Bremsung'),
  EXTREME_LEFT_CORNERING: behaviour(1, 'Extreme left turn', 'Extreme Linkskurve'),
  EXTREME_RIGHT_CORNERING: behaviour(1, 'Extreme right turn', 'Extreme Rechtskurve'),
  WARNING_OVERSPEEDING: behaviour(0, 'Speeding warning', 'Warnung vor hohem Tempo'),
  WARNING_RPM: behaviour(0, 'Engine speed warning', 'Warnung vor hoher Drehzahl'),
  WARNING_THROTTLE_POSITION: behaviour(0, 'Throttle warning', 'Warnung vor viel Gas'),
  POTHOLE: behaviour(1, 'Pothole', 'Schlagloch'),
  WEAK_CRASH: behaviour(1, 'Light crash', 'Leichter Aufprall'),
  SEVERE_CRASH: behaviour(1, 'Severe crash', 'Schwerer Aufprall'),

  IS_DONGLE_PLUGGED_IN: dongle(0, 'Dongle plugged in', 'Dongle eingesteckt'),
  IS_DONGLE_IN_STANDBY: dongle(0, 'Dongle in standby', 'Dongle in Bereitschaft'),
  IS_GPS_SWITCH_ON: dongle(0, 'GPS receiver', 'GPS-Empfänger'),
  GPS_SATELLITES_IN_USE: dongle(0, 'Satellites in use', 'Genutzte Satelliten'),
  GPS_SATELLITES_IN_VIEW: dongle(0, 'Satellites in view', 'Sichtbare Satelliten'),
  GPS_HDOP: dongle(1, 'GPS dilution (HDOP)', 'GPS-Ungenauigkeit (HDOP)'),
  TIME_TO_FIRST_FIX: dongle(0, 'Time to first GPS fix', 'Zeit bis zum ersten GPS-Fix'),
  NETWORK_CELL_INFO: dongle(0, 'Mobile network cell', 'Mobilfunkzelle'),
  FIRMWARE_VERSION: dongle(0, 'Firmware of the dongle', 'Firmware des Dongles'),
  REBOOT_RESPONSE: dongle(0, 'Restart of the dongle', 'Neustart des Dongles'),
  OBD_TYPE: dongle(0, 'OBD standard', 'OBD-Standard'),

  VIN: identification(0, 'VIN', 'FIN'),
  OBD_CALIBRATION_ID: identification(0, 'Calibration id', 'Kalibrierungskennung'),
  OBD_CALIBRATION_VERIFICATION_NUMBER: identification(0, 'Calibration verification number', 'Kalibrierungsprüfnummer'),
  ICCID: identification(0, 'SIM card (ICCID)', 'SIM-Karte (ICCID)'),
  IMSI: identification(0, 'Subscriber (IMSI)', 'Teilnehmer (IMSI)'),
}
