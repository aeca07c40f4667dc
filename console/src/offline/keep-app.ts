/**
 * Lets the browser keep the files of the console (`public/service-worker.js`), so that it can be installed and opens without a
 * network. Browsers allow that for pages of HTTPS and of this machine.
 */
export function keepApp(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return
  // It loads the files once more, which must not delay the first time.
  window.addEventListener('load', () => {
    navigator.serviceWorker.register('/service-worker.js', { updateViaCache: 'none' }).catch(() => undefined)
  })
}
