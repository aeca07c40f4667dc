import { KEY_COLUMNS, LEFT_OUT_COLUMNS, MEASURED_COLUMNS, POSITION_COLUMNS } from '../lab/ved/recording.ts'

const COLUMNS = [
  ...Object.values(KEY_COLUMNS),
  ...Object.values(POSITION_COLUMNS),
  ...MEASURED_COLUMNS.map(({ column }) => column),
  ...LEFT_OUT_COLUMNS,
]

/** The first line of a recording. */
export const HEADER = COLUMNS.join()

const FIELDS: Readonly<Record<string, string>> = {
  DayNum: '204.5',
  VehId: '10',
  Trip: '2464',
  'Timestamp(ms)': '0',
  'Latitude[deg]': '42.28',
  'Longitude[deg]': '-83.71',
}

/** A recording in the format of the Vehicle Energy Dataset, made up: each row is a position where no fields are given. */
export function recorded(...rows: Readonly<Record<string, string>>[]): string {
  const lines = rows.map(fields => COLUMNS.map(column => fields[column] ?? FIELDS[column] ?? '').join())
  return `${[HEADER, ...lines].join('\n')}\n`
}
