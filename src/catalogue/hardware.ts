/** What is known of a dongle's hardware; a field is empty where it is not. */
export interface Hardware {
  readonly manufacturer: string
  readonly hardwareType: string
  readonly hardwareVersion: string
}

interface Family {
  readonly manufacturer: string
  /** Finds the model in the text of a firmware version. */
  readonly model: RegExp
  /** Finds the version of the hardware in it. */
  readonly version?: RegExp
}

/** Dongles whose firmware version names the model. */
const FAMILIES: readonly Family[] = [
  // `FMB003.Ver.03.27.07.Rev.123`, `FMC003 03.28.03`; the answer to `getver` has `Hw:FMB003 Mod:13`.
  { manufacturer: 'Teltonika', model: /\b(F(?:MB|MC|MM|MP|MT|MU|TC|TM)\d{2,3})/i, version: /\bMod:(\d+)/i },
  { manufacturer: 'Queclink', model: /\b(GV5\d{2}(?:MAP|MA|CG|VC)?)(?=\b|_|R)/i },
  { manufacturer: 'Jimi IoT', model: /\b(VL50\d|OB2\d)/i },
  { manufacturer: 'Freematics', model: /\b(?:Freematics )?(ONE\+)/i },
]

const UNKNOWN: Hardware = { manufacturer: '', hardwareType: '', hardwareVersion: '' }

/** @param firmwareVersion as the dongle reports it */
export function hardwareOf(firmwareVersion: string): Hardware {
  for (const { manufacturer, model, version } of FAMILIES) {
    const hardwareType = model.exec(firmwareVersion)?.[1]?.toUpperCase()
    if (hardwareType !== undefined)
      return { manufacturer, hardwareType, hardwareVersion: version?.exec(firmwareVersion)?.[1] ?? '' }
  }
  return UNKNOWN
}
