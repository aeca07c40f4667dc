import './shell/styles.ts'
import { createTheme, MantineProvider } from '@mantine/core'
import { useDisclosure, useWindowEvent } from '@mantine/hooks'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useSelector } from '@tanstack/react-store'
import { lazy, StrictMode, Suspense, useEffect, useMemo } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/query-client.ts'
import { ensureValidLocale, openProfile, profile, spoken, startLanguage } from './language/language.ts'
import { keepApp } from './offline/last-state.ts'
import { router } from './router.tsx'
import { LoginPage } from './session/login-page.tsx'
import { startSession, tokens } from './session/session.ts'
import { useLoginId } from './session/use-session.ts'
import { persistently } from './shell/persistently.ts'
import { startPrinting } from './shell/printing.ts'
import { TOAST } from './shell/toast.tsx'

const theme = createTheme({
  primaryColor: 'cyan',
  // White letters are read on it in the dark, too; the library chooses one colour of letters for both.
  primaryShade: 9,
  autoContrast: true,
  // Menus and dialogs are there at once for who asked the system for less motion; the rest is in shell.css.
  respectReducedMotion: true,
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  headings: { fontWeight: '650' },
})

// The first of them comes long after the start.
const Toasts = lazy(
  persistently(() => import('@mantine/notifications').then(({ Notifications }) => ({ default: Notifications }))),
)

/** The console: the pages for a logged-in user, else the login. The address stays, so a login leads back to it. */
function App() {
  const loginId = useLoginId()
  const { timeZone, distance, temperature } = useSelector(profile)
  // Formatted times and quantities are in the memory of many components, so pages begin anew when these change.
  const reading = `${timeZone} ${distance} ${temperature}`
  const before = useMemo(() => ({ reading, focusedId: document.activeElement?.id ?? '' }), [reading])
  useEffect(() => document.getElementById(before.focusedId)?.focus(), [before])
  const [hasToasts, { open }] = useDisclosure(false)
  useWindowEvent(TOAST, open)
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto">
      <Suspense>{hasToasts && <Toasts position="bottom-center" />}</Suspense>
      <QueryClientProvider client={queryClient}>
        {/* No state of one user's pages is kept for the next one, who may have logged in in another tab. */}
        {loginId === undefined ? <LoginPage /> : <RouterProvider key={loginId + reading} router={router} />}
      </QueryClientProvider>
    </MantineProvider>
  )
}

spoken.subscribe(language => {
  document.documentElement.lang = language
})
ensureValidLocale()
const root = document.getElementById('root')
if (!root) throw new Error('the page has no place for the console')
const place = createRoot(root)
startSession()
let loginId = tokens.get()?.loginId
const openOwnProfile = () => {
  openProfile(tokens.get()?.userName)
  return startLanguage()
}
tokens.subscribe(given => {
  if (given?.loginId === loginId) return
  loginId = given?.loginId
  void openOwnProfile()
})
void openOwnProfile().then(() =>
  place.render(
    <StrictMode>
      <App />
    </StrictMode>,
  ),
)
keepApp()
startPrinting()
