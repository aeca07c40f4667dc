/**
 * SIGTERM ends npm and the shell in which it runs a program, and neither passes it on: the program finds itself with
 * another parent.
 */
export function whenNpmEnds(stop) {
  if (!process.env.npm_command) return
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    stop()
  }, 1000)
  watch.unref()
}
