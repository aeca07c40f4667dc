import { describe, expect, it } from 'vitest'
import LABELS from './dtc-labels.json' with { type: 'json' }
import { dtcLabel } from './dtc-labels.ts'

const PRECISE_LABELS = Object.entries(LABELS)

describe('labels of trouble codes', () => {
  it.each([
    ['P0301', 'Misfire cylinder 1 detected'],
    ['P03FF', 'Powertrain: ignition or misfire (generic code)'],
    ['P0EFF', 'Powertrain: hybrid or electric drive (generic code)'],
    ['P2AFF', 'Powertrain: fuel and air metering (generic code)'],
    ['P0F00', 'Powertrain (generic code)'],
    ['P1301', 'Powertrain: ignition or misfire (manufacturer-specific code)'],
    ['P1780', 'Powertrain: transmission (manufacturer-specific code)'],
    ['P1A01', 'Powertrain (manufacturer-specific code)'],
    ['P3001', 'Powertrain: fuel and air metering (manufacturer-specific code)'],
    ['P3401', 'Powertrain: cylinder deactivation (generic code)'],
    ['C00FF', 'Chassis: brakes and traction control (generic code)'],
    ['C1234', 'Chassis (manufacturer-specific code)'],
    ['B00FF', 'Body: occupant restraints (generic code)'],
    ['B2AAA', 'Body (manufacturer-specific code)'],
    ['U01FF', 'Network: lost communication (generic code)'],
    ['U3099', 'Network: control module and its power supply (generic code)'],
  ])('%s is "%s"', (code, label) => {
    expect(dtcLabel(code, 'en')).toBe(label)
  })

  it.each(['', '4F21', 'P030', 'P03011', 'p0301', 'X0301', 'P4301', 'P030G'])('"%s" has none', code => {
    expect([dtcLabel(code, 'en'), dtcLabel(code, 'de')]).toEqual(['', ''])
  })

  it('every area has a text in each language, of its own', () => {
    const labels = (language: 'en' | 'de') =>
      ['P', 'C', 'B', 'U'].flatMap(system =>
        Array.from({ length: 64 }, (_, index) => {
          const digits = `${index >> 4}${(index & 15).toString(16).toUpperCase()}FF`
          return dtcLabel(system + digits, language)
        }),
      )
    expect(labels('de').every(label => label !== '')).toBe(true)
    expect(new Set(labels('de')).size).toBe(new Set(labels('en')).size)
  })
})

describe('precise labels of trouble codes', () => {
  it('are at least 2,000', () => {
    expect(PRECISE_LABELS.length).toBeGreaterThanOrEqual(2000)
  })

  it('every code is a well-formed generic one', () => {
    expect(PRECISE_LABELS.filter(([code]) => !/^(P0|P2|U0|U3|C0|B0)[0-9A-F]{3}$/.test(code))).toEqual([])
  })

  it('every code has a text in each language, of its own', () => {
    const faulty = PRECISE_LABELS.filter(([, [en, de]]) => !en?.trim() || !de?.trim() || en === de)
    expect(faulty).toEqual([])
  })

  it('no text has a gap left in it or blanks too many', () => {
    expect(PRECISE_LABELS.filter(([, texts]) => texts.some(text => /[{}]| {2}|^ | $|undefined/.test(text)))).toEqual([])
  })

  it('no well-formed code is without a label', () => {
    const empty = ['P', 'C', 'B', 'U'].flatMap(system =>
      Array.from({ length: 0x4000 }, (_, i) => system + i.toString(16).toUpperCase().padStart(4, '0')).filter(
        code => dtcLabel(code, 'en') === '' || dtcLabel(code, 'de') === '',
      ),
    )
    expect(empty).toEqual([])
  })

  it.each([
    ['P0101', 'Mass or volume air flow sensor A circuit range/performance', 'Luftmassenmesser A: Signal außerhalb'],
    ['P0117', 'Engine coolant temperature sensor 1 circuit low', 'Kühlmitteltemperatursensor 1: Signal zu niedrig'],
    ['P0128', 'Coolant thermostat', 'Kühlmittelthermostat'],
    ['P0133', 'Oxygen sensor bank 1 sensor 1 circuit slow response', 'Lambdasonde Bank 1 Sensor 1: Signal reagiert'],
    ['P0141', 'Oxygen sensor heater bank 1 sensor 2 circuit', 'Heizung der Lambdasonde Bank 1 Sensor 2'],
    ['P0171', 'System bank 1 too lean', 'Gemisch Bank 1 zu mager'],
    ['P0175', 'System bank 2 too rich', 'Gemisch Bank 2 zu fett'],
    ['P0193', 'Fuel rail pressure sensor circuit high', 'Kraftstoffdrucksensor am Verteilerrohr: Signal zu hoch'],
    ['P0204', 'Injector cylinder 4 circuit open', 'Einspritzventil Zylinder 4'],
    ['P0234', 'Turbocharger/supercharger A overboost', 'Turbolader A: Ladedruck zu hoch'],
    ['P0270', 'Injector cylinder 4 circuit low', 'Einspritzventil Zylinder 4: Signal zu niedrig'],
    ['P0296', 'Injector cylinder 12 contribution/balance', 'Einspritzventil Zylinder 12: Beitrag'],
    ['P0299', 'Turbocharger/supercharger A underboost', 'Turbolader A: Ladedruck zu niedrig'],
    ['P02C9', 'Injector cylinder 12 leaking', 'Einspritzventil Zylinder 12 undicht'],
    ['P0300', 'Random/multiple cylinder misfire detected', 'Verbrennungsaussetzer an mehreren Zylindern erkannt'],
    ['P0303', 'Misfire cylinder 3 detected', 'Verbrennungsaussetzer Zylinder 3 erkannt'],
    ['P0310', 'Misfire cylinder 10 detected', 'Verbrennungsaussetzer Zylinder 10 erkannt'],
    ['P0335', 'Crankshaft position sensor A circuit', 'Kurbelwellensensor A'],
    ['P0354', 'Ignition coil primary/secondary D circuit', 'Zündspule D'],
    ['P0401', 'Exhaust gas recirculation A flow insufficient', 'Abgasrückführung A: Durchfluss zu gering'],
    ['P0420', 'Catalyst system bank 1 efficiency below threshold', 'Katalysator Bank 1: Wirkung unter dem Grenzwert'],
    ['P0455', 'Evaporative emission system leak detected (large', 'Großes Leck im Tankentlüftungssystem erkannt'],
    ['P0500', 'Vehicle speed sensor A circuit', 'Fahrgeschwindigkeitssensor A'],
    ['P0562', 'System voltage low', 'Bordnetzspannung zu niedrig'],
    ['P0606', 'Control module processor fault', 'Prozessor des Steuergeräts fehlerhaft'],
    ['P0673', 'Glow plug cylinder 3 circuit open', 'Glühkerze Zylinder 3'],
    ['P0741', 'Torque converter clutch performance/stuck off', 'Wandlerüberbrückungskupplung'],
    ['P0756', 'Shift solenoid B performance/stuck off', 'Schaltmagnetventil B'],
    ['P0968', 'Pressure control solenoid C control circuit/open', 'Drucksteuerventil C'],
    ['P0A80', 'Replace hybrid/EV battery pack', 'Hochvoltbatterie ersetzen'],
    ['P2002', 'Diesel particulate filter bank 1 efficiency below', 'Dieselpartikelfilter Bank 1'],
    ['P2138', 'Throttle/pedal position sensor/switch D/E voltage correlation', 'Drosselklappen-/Pedalwertgeber D/E'],
    ['P2187', 'System at idle bank 1 too lean', 'Gemisch im Leerlauf Bank 1 zu mager'],
    [
      'P2195',
      'Oxygen sensor bank 1 sensor 1 signal biased/stuck lean',
      'Lambdasonde Bank 1 Sensor 1: Signal dauerhaft mager',
    ],
    ['P2463', 'Diesel particulate filter - soot accumulation', 'Partikelfilter: Rußbeladung zu hoch'],
    ['U0100', 'Lost communication with ECM/PCM A', 'Keine Kommunikation mit Motorsteuergerät A'],
    ['U0121', 'Lost communication with anti-lock brake system', 'Keine Kommunikation mit ABS-Steuergerät'],
    ['U0415', 'Invalid data received from anti-lock brake system', 'Ungültige Daten empfangen von ABS-Steuergerät'],
    ['P0A10', 'DC/DC converter status circuit high', 'Zustandssignal des Gleichspannungswandlers: Signal zu hoch'],
    ['P0A7A', 'Generator inverter performance', 'Wechselrichter des Generators'],
    ['P20EF', 'SCR NOx pre-catalyst bank 1 efficiency below', 'SCR-Vorkatalysator Bank 1'],
    ['P20F2', 'SCR NOx catalyst bank 2 efficiency below', 'SCR-Katalysator Bank 2'],
    ['P2231', 'Oxygen sensor signal shorted to heater bank 1 sensor 1', 'Lambdasonde Bank 1 Sensor 1: Signal mit'],
    ['P246F', 'Exhaust gas temperature sensor bank 1 sensor 4 circuit range', 'Abgastemperatursensor Bank 1 Sensor 4'],
    ['P2543', 'Low pressure fuel system sensor circuit intermittent', 'Drucksensor im Niederdrucksystem: Signal sp'],
    ['U0304', 'Software incompatibility with gear shift control module', 'Software nicht kompatibel: Wählhebel'],
    ['C0001', 'Traction control valve A 1 malfunction', 'Ventil der Antriebsschlupfregelung A 1'],
    ['C0035', 'Wheel speed sensor left front malfunction', 'Raddrehzahlsensor vorn links'],
    ['C003A', 'Wheel speed sensor right rear circuit', 'Raddrehzahlsensor hinten rechts: Fehler im Stromkreis'],
    ['C0077', 'Tire pressure too low', 'Reifendruck zu niedrig'],
    ['B0001', 'Driver frontal airbag stage 1 deployment control', 'Fahrerairbag Stufe 1: Fehler im Auslösekreis'],
    ['B0028', 'Right side airbag deployment control', 'Seitenairbag rechts: Fehler im Auslösekreis'],
    ['B0029', 'Right curtain airbag 1 deployment control', 'Kopfairbag rechts 1'],
    ['B0052', 'Seat belt sensor passenger malfunction', 'Gurtschlosssensor Beifahrer'],
    ['B007A', 'Seat belt pretensioner B passenger deployment', 'Gurtstraffer B Beifahrer'],
    ['B0096', 'Side impact sensor right 1 malfunction', 'Seitenaufprallsensor rechts 1'],
    ['B00CB', 'Seat occupant position sensor E passenger', 'Insassenpositionssensor E Beifahrer'],
    ['B00F7', 'Inflatable seat belt third row right', 'Airbag-Sicherheitsgurt 3. Reihe rechts'],
  ])('%s begins with "%s" and "%s"', (code, en, de) => {
    expect(dtcLabel(code, 'en').slice(0, en.length)).toBe(en)
    expect(dtcLabel(code, 'de').slice(0, de.length)).toBe(de)
  })
})
