import type { BrowserContext } from 'playwright-core'

/** The browser tells of itself: without a graphics card, it reads back what WebGL has drawn. */
const READS_BACK = /GL Driver Message .*GPU stall due to ReadPixels/

/**
 * Listens to all pages of a context.
 *
 * @returns tells what they complained of since it was asked last: exceptions, errors and warnings on the console (among them violations of the
 *   content security policy), and requests to anybody but their own server
 */
export function watch(context: BrowserContext, ownUrl: string): () => readonly string[] {
  const complaints: string[] = []
  context.on('weberror', error => complaints.push(`exception: ${error.error().stack ?? error.error().message}`))
  context.on('console', message => {
    const isComplaint = message.type() === 'error' || message.type() === 'warning'
    if (isComplaint && !READS_BACK.test(message.text()))
      complaints.push(`${message.type()}: ${message.text()} (${message.location().url}, on ${message.page()?.url()})`)
  })
  context.on('request', request => {
    const { protocol, origin } = new URL(request.url())
    if (protocol !== 'data:' && protocol !== 'blob:' && origin !== ownUrl)
      complaints.push(`request to another server: ${request.url()}`)
  })
  return () => complaints.splice(0)
}
