/** Address and credentials of the broker, from `MQTT_URL`. */
export interface BrokerAddress {
  /** Without user and password, so that it may be logged. */
  readonly url: string
  readonly user: string | undefined
  readonly password: string | undefined
}

/** Takes the user and the password out of the address; both may be percent-encoded (RFC 3986, 3.2.1). */
export function brokerAddressOf(mqttUrl: string): BrokerAddress {
  const url = new URL(mqttUrl)
  const { username, password } = url
  url.username = ''
  url.password = ''
  return {
    url: url.href,
    user: username === '' ? undefined : decoded(username),
    password: password === '' ? undefined : decoded(password),
  }
}

/** A `%` that is not part of an encoding is kept. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
