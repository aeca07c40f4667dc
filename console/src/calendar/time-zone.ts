/** The time zone of the person, as an IANA name. */
export function timeZoneHere(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone
}
