import { MantineProvider } from '@mantine/core'
import { DatesProvider } from '@mantine/dates'
import 'dayjs/locale/de'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { queryClient } from './api/query-client.ts'
import { useLanguage } from './language/language.ts'
import { router } from './router.tsx'
import { LoginPage } from './session/login-page.tsx'
import { useLoginId } from './session/use-session.ts'
import { theme } from './theme.ts'

/** The console: the pages for whoever is logged in, else the login. The address stays, so a login leads back to it. */
export function App() {
  const loginId = useLoginId()
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto">
      <DatesProvider settings={{ locale: useLanguage(), firstDayOfWeek: 1 }}>
        <QueryClientProvider client={queryClient}>
          <Notifications />
          {/* Nothing of one person's pages goes on for the next one, who may have logged in in another tab. */}
          {loginId === undefined ? <LoginPage /> : <RouterProvider key={loginId} router={router} />}
        </QueryClientProvider>
      </DatesProvider>
    </MantineProvider>
  )
}
