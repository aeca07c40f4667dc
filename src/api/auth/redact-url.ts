const SECRET_PARAMETER = /(password|passwd|pwd|token|secret|key|authorization|code)[^=]*=/i

/** An address as it may stand in a log: without the values of parameters that are, or may hold, a secret. */
export function redactUrl(url: string): string {
  const withoutUser = url.replace(/\/\/[^/?#]*@/, '//')
  const [path = '', ...queries] = withoutUser.split(/([?#])/)
  return path + queries.join('').replace(/[^&]+/g, redactParameter)
}

/** Looks at name and value together: a client that separates parameters by something else than `&` must not give its password away. */
function redactParameter(parameter: string): string {
  const equals = parameter.search(/=|%3d/i)
  // Decoded just as the endpoint does it, or an encoded name would slip through.
  const [[decoded] = ['']] = [...new URLSearchParams(parameter.replaceAll('=', '%3d'))]
  return equals !== -1 && SECRET_PARAMETER.test(decoded) ? `${parameter.slice(0, equals)}=[removed]` : parameter
}
