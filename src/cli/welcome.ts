interface Welcome {
  readonly address: string
  /** Host and port for dongles; undefined when that port is closed. */
  readonly teltonika: string | undefined
  /** Undefined when there is no user. */
  readonly email: string | undefined
  /** Only when it was created now. */
  readonly password?: string
}

/** The text that `npm start` prints once the service answers. */
export function welcome({ address, teltonika, email, password }: Welcome): string {
  const login = password
    ? `${email}  password ${password}  (shown only this once)`
    : email
      ? `${email}, with the password it was made with (another login: npx tacho user create)`
      : 'nobody can log in yet (make a login: npx tacho user create)'
  return `
  Tacho runs at ${address}

    Console             ${address}/
    API documentation   ${address}/docs
    Login               ${login}
    Dongles             ${teltonika === undefined ? 'over HTTP and MQTT (TELTONIKA_PORT is off)' : `${teltonika}  (Teltonika, TCP and UDP)`}

  Try it:

    ${tryOut(address, email ?? 'E-MAIL', password ?? 'PASSWORD')}

  Ctrl-C stops it; the data stays.
`
}

/** One line for a shell that needs nothing but curl and sed. */
function tryOut(address: string, email: string, password: string): string {
  const token =
    `curl -s ${address}/auth/token -d grant_type=password -d username=${email} -d password=${password}` +
    String.raw` | sed 's/.*"access_token": *"\([^"]*\)".*/\1/'`
  return `curl -s -H "Authorization: Bearer $(${token})" ${address}/cc/v2.0/vehicles`
}
