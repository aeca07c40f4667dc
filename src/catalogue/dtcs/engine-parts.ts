import type { Text } from './text.ts'

export const maf: Text = ['Mass or volume air flow sensor', 'Luftmassenmesser']
export const map: Text = [
  'Manifold absolute pressure/barometric pressure sensor',
  'Saugrohrdrucksensor/Luftdrucksensor',
]
export const baro: Text = ['Barometric pressure sensor', 'Umgebungsluftdrucksensor']
export const iat: Text = ['Intake air temperature', 'Ansauglufttemperatur']
export const iatSensor: Text = ['Intake air temperature sensor', 'Ansauglufttemperatursensor']
export const ambient: Text = ['Ambient air temperature sensor', 'Außentemperatursensor']
export const coolantSensor: Text = ['Engine coolant temperature sensor', 'Kühlmitteltemperatursensor']
export const radiatorSensor: Text = ['Radiator coolant temperature sensor', 'Kühlmitteltemperatursensor am Kühler']
export const throttleSensor: Text = ['Throttle/pedal position sensor/switch', 'Drosselklappen-/Pedalwertgeber']
export const throttle: Text = ['Throttle actuator', 'Drosselklappensteller']
export const inletPressure: Text = ['Turbocharger/supercharger inlet pressure sensor', 'Drucksensor vor dem Turbolader']
export const boostSensor: Text = ['Turbocharger/supercharger boost sensor', 'Ladedrucksensor']
export const boostControl: Text = ['Turbocharger/supercharger boost control', 'Ladedruckregelung']
export const bypass: Text = ['Turbocharger/supercharger bypass valve', 'Schubumluftventil des Turboladers']
export const wastegate: Text = ['Turbocharger/supercharger wastegate solenoid', 'Magnetventil des Wastegates']
export const turbine: Text = ['Turbocharger/supercharger turbine', 'Turbine des Turboladers']
export const vanes: Text = ['Turbocharger boost control position sensor', 'Lagesensor der Ladedruckregelung']
export const lambda: Text = ['Oxygen sensor', 'Lambdasonde']
export const lambdaHeater: Text = ['Oxygen sensor heater', 'Heizung der Lambdasonde']
export const heaterResistance: Text = ['Oxygen sensor heater resistance', 'Heizwiderstand der Lambdasonde']
export const fuelTrim: Text = ['Fuel trim', 'Gemischanpassung']
export const system: Text = ['System', 'Gemisch']
export const fuelComposition: Text = ['Fuel composition sensor', 'Kraftstoffartsensor']
export const fuelTemperature: Text = ['Fuel temperature sensor', 'Kraftstofftemperatursensor']
export const railPressureSensor: Text = ['Fuel rail pressure sensor', 'Kraftstoffdrucksensor am Verteilerrohr']
export const railPressure: Text = ['Fuel rail/system pressure', 'Kraftstoffdruck im Verteilerrohr']
export const fuelPressureSensor: Text = ['Fuel pressure sensor', 'Kraftstoffdrucksensor']
export const regulator: Text = ['Fuel pressure regulator', 'Kraftstoffdruckregler']
export const volume: Text = ['Fuel volume regulator', 'Kraftstoffmengenregler']
export const shutoff: Text = ['Fuel shutoff valve', 'Kraftstoffabsperrventil']
export const fuelPump: Text = ['Fuel pump', 'Kraftstoffpumpe']
export const fuelPumpModule: Text = ['Fuel pump module', 'Kraftstofffördereinheit']
export const fuelLevel: Text = ['Fuel level sensor', 'Tankgeber']
export const oilTemperature: Text = ['Engine oil temperature sensor', 'Motoröltemperatursensor']
export const oilPressure: Text = ['Engine oil pressure sensor/switch', 'Motoröldrucksensor/-schalter']
export const oilPressureControl: Text = ['Engine oil pressure control', 'Öldruckregelventil']
export const injector: Text = ['Injector', 'Einspritzventil']
export const injectorTiming: Text = ['Injection timing', 'Einspritzzeitpunkt']
export const injectorOffset: Text = ['Injector offset learning', 'Mengenabgleich des Einspritzventils']
export const injectorGroup: Text = [
  'Fuel injector group supply voltage',
  'Versorgungsspannung der Einspritzventilgruppe',
]
export const metering: Text = ['Injection pump fuel metering control', 'Mengenregelung der Einspritzpumpe']
export const misfire: Text = ['Misfire', 'Zündaussetzer']
export const knock: Text = ['Knock/combustion vibration sensor', 'Klopfsensor']
export const crank: Text = ['Crankshaft position sensor', 'Kurbelwellensensor']
export const cam: Text = ['Camshaft position sensor', 'Nockenwellensensor']
export const camActuator: Text = ['Camshaft position actuator', 'Nockenwellenversteller']
export const camProfile: Text = ['Camshaft profile', 'Nockenprofilumschaltung']
export const camSlow: Text = ['Camshaft position slow response', 'Nockenwellenverstellung zu langsam, Nockenwelle']
export const crankCam: Text = ['Crankshaft/camshaft position', 'Kurbelwelle und Nockenwelle']
export const coil: Text = ['Ignition coil primary/secondary', 'Zündspule']
export const timingA: Text = ['Timing reference high resolution signal A', 'Hochaufgelöstes Bezugsmarkensignal A']
export const timingB: Text = ['Timing reference high resolution signal B', 'Hochaufgelöstes Bezugsmarkensignal B']
export const speedInput: Text = ['Ignition/distributor engine speed input', 'Drehzahlsignal der Zündung']
export const glow: Text = ['Glow plug', 'Glühkerze']
export const glowHeater: Text = ['Glow plug/heater', 'Glühkerzen']
export const glowModule: Text = ['Glow plug control module', 'Glühzeitsteuergerät']
export const egr: Text = ['Exhaust gas recirculation', 'Abgasrückführung']
export const egrValve: Text = ['Exhaust gas recirculation valve', 'Abgasrückführventil']
export const egrSensor: Text = ['Exhaust gas recirculation sensor', 'Sensor der Abgasrückführung']
export const egrTemperature: Text = ['Exhaust gas recirculation temperature sensor', 'AGR-Temperatursensor']
export const egrThrottle: Text = ['Exhaust gas recirculation throttle', 'AGR-Drosselklappe']
export const egrCooler: Text = ['Exhaust gas recirculation cooler bypass', 'Bypass des AGR-Kühlers']
export const airInjection: Text = ['Secondary air injection', 'Sekundärlufteinblasung']
export const airSwitch: Text = ['Secondary air injection switching valve', 'Umschaltventil der Sekundärluft']
export const catalyst: Text = ['Catalyst system', 'Katalysator']
export const warmCatalyst: Text = ['Warm up catalyst', 'Vorkatalysator']
export const mainCatalyst: Text = ['Main catalyst', 'Hauptkatalysator']
export const heatedCatalyst: Text = ['Heated catalyst', 'Beheizter Katalysator']
export const catalystSensor: Text = ['Catalyst temperature sensor', 'Katalysatortemperatursensor']
export const catalystHeater: Text = ['Catalyst heater', 'Katalysatorheizung']
export const evap: Text = ['Evaporative emission system', 'Tankentlüftungssystem']
export const purge: Text = ['Evaporative emission system purge control valve', 'Tankentlüftungsventil']
export const vent: Text = ['Evaporative emission system vent valve', 'Belüftungsventil der Tankentlüftung']
export const evapPressure: Text = ['Evaporative emission system pressure sensor', 'Drucksensor der Tankentlüftung']
export const purgeFlow: Text = ['Evaporative emission system purge flow sensor', 'Spülstromsensor der Tankentlüftung']
export const exhaustPressure: Text = ['Exhaust pressure sensor', 'Abgasdrucksensor']
export const exhaustValve: Text = ['Exhaust pressure control valve', 'Abgasdruckregelventil']
export const egt: Text = ['Exhaust gas temperature sensor', 'Abgastemperatursensor']
export const fan: Text = ['Cooling fan', 'Kühlerlüfter']
export const fanSpeed: Text = ['Fan speed sensor', 'Drehzahlsensor des Lüfters']
export const vehicleSpeed: Text = ['Vehicle speed sensor', 'Fahrgeschwindigkeitssensor']
export const idle: Text = ['Idle air control', 'Leerlaufsteller']
export const batteryTemperature: Text = ['Battery temperature sensor', 'Batterietemperatursensor']
export const refrigerantPressure: Text = ['A/C refrigerant pressure sensor', 'Kältemitteldrucksensor der Klimaanlage']
export const evaporator: Text = ['A/C evaporator temperature sensor', 'Verdampfertemperatursensor der Klimaanlage']
export const compressor: Text = ['A/C clutch relay', 'Relais der Klimakompressorkupplung']
export const intakeHeater: Text = ['Intake air heater', 'Ansaugluftheizung']
export const steeringPressure: Text = [
  'Power steering pressure sensor/switch',
  'Drucksensor/-schalter der Servolenkung',
]
export const boosterPressure: Text = ['Brake booster pressure sensor', 'Drucksensor des Bremskraftverstärkers']
export const brakeSwitch: Text = ['Brake switch', 'Bremslichtschalter']
export const cruise: Text = ['Cruise control', 'Geschwindigkeitsregelanlage']
export const cruiseInput: Text = [
  'Cruise control multi-function input',
  'Bedienschalter der Geschwindigkeitsregelanlage, Eingang',
]
export const thermostat: Text = ['Thermostat heater', 'Heizung des Kennfeldthermostats']
export const intakeSolenoid: Text = ['Intake valve control solenoid', 'Magnetventil der Einlassventilsteuerung']
export const exhaustSolenoid: Text = ['Exhaust valve control solenoid', 'Magnetventil der Auslassventilsteuerung']
export const chargeCooler: Text = ['Charge air cooler temperature sensor', 'Temperatursensor des Ladeluftkühlers']
export const chargeBypass: Text = ['Charge air cooler bypass', 'Bypass des Ladeluftkühlers']
export const chargePump: Text = ['Charge air cooler coolant pump', 'Kühlmittelpumpe des Ladeluftkühlers']
export const dieselFlap: Text = ['Diesel intake air flow', 'Regelklappe der Ansaugluft (Diesel)']
export const dieselFlapSensor: Text = ['Diesel intake air flow position sensor', 'Lagesensor der Regelklappe (Diesel)']
export const reference: Text = ['Sensor reference voltage', 'Sensor-Versorgungsspannung']
export const actuatorSupply: Text = ['Actuator supply voltage', 'Versorgungsspannung der Stellglieder']
export const generator: Text = ['Generator', 'Lichtmaschine']
export const field: Text = ['Generator field terminal', 'Erregeranschluss der Lichtmaschine']
export const starterRelay: Text = ['Starter relay', 'Anlasserrelais']
export const powerRelay: Text = ['ECM/PCM power relay', 'Hauptrelais des Motorsteuergeräts']
export const relaySense: Text = ['ECM/PCM power relay sense', 'Rückmeldung des Hauptrelais']
export const ecmTemperature: Text = [
  'PCM/ECM/TCM internal temperature sensor',
  'Innentemperatursensor des Steuergeräts',
]
export const tuning: Text = ['Intake manifold tuning valve', 'Saugrohrumschaltventil']
export const crankcase: Text = ['Crankcase pressure sensor', 'Kurbelgehäusedrucksensor']
export const pcvHeater: Text = ['Positive crankcase ventilation heater', 'Heizung der Kurbelgehäuseentlüftung']
export const runner: Text = ['Intake manifold runner', 'Saugrohrklappe']
export const runnerSensor: Text = [
  'Intake manifold runner position sensor/switch',
  'Lagesensor/-schalter der Saugrohrklappe',
]
export const throttleMotor: Text = ['Throttle actuator motor', 'Stellmotor der Drosselklappe']
export const nox: Text = ['NOx sensor', 'NOx-Sensor']
export const noxHeater: Text = ['NOx sensor heater', 'Heizung des NOx-Sensors']
export const noxTrap: Text = ['NOx adsorber', 'NOx-Speicherkatalysator']
export const dpf: Text = ['Diesel particulate filter', 'Dieselpartikelfilter']
export const dpfPressure: Text = [
  'Diesel particulate filter pressure sensor',
  'Differenzdrucksensor des Partikelfilters',
]
export const reductant: Text = ['Reductant', 'Reduktionsmittel']
export const reductantLevel: Text = ['Reductant level sensor', 'Füllstandssensor des Reduktionsmittels']
export const reductantTemperature: Text = [
  'Reductant tank temperature sensor',
  'Temperatursensor im Reduktionsmitteltank',
]
export const reductantPressure: Text = ['Reductant pressure sensor', 'Drucksensor des Reduktionsmittels']
export const reductantInjector: Text = ['Reductant injection valve', 'Dosierventil des Reduktionsmittels']
export const reductantPump: Text = ['Reductant pump', 'Reduktionsmittelpumpe']
export const reductantHeater: Text = ['Reductant heater', 'Heizung des Reduktionsmittels']
export const scr: Text = ['SCR NOx catalyst', 'SCR-Katalysator']
export const pumpingCurrent: Text = ['Oxygen sensor pumping current', 'Pumpstrom der Lambdasonde']
export const referenceCell: Text = ['Oxygen sensor reference voltage', 'Referenzspannung der Lambdasonde']
export const referenceGround: Text = ['Oxygen sensor reference ground', 'Bezugsmasse der Lambdasonde']
export const cylinderDeactivation: Text = [
  'Cylinder deactivation/intake valve control',
  'Zylinderabschaltung, Einlassventil',
]
export const cylinderDeactivationExhaust: Text = [
  'Cylinder deactivation/exhaust valve control',
  'Zylinderabschaltung, Auslassventil',
]
export const fuelCutoff: Text = ['Post-catalyst fuel trim system', 'Gemischregelung nach Katalysator']
export const evapSwitch: Text = ['Evaporative emission system switching valve', 'Umschaltventil der Tankentlüftung']
export const evapPump: Text = [
  'Evaporative emission system leak detection pump',
  'Leckdiagnosepumpe der Tankentlüftung',
]
export const airInjector: Text = ['Air assisted injector', 'Luftumfasstes Einspritzventil']
