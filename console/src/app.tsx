import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { queryClient } from './api/query-client.ts'
import { router } from './router.tsx'
import { LoginPage } from './session/login-page.tsx'
import { useLoginId } from './session/use-session.ts'
import { theme } from './theme.ts'

/** The console: the pages for a logged-in user, else the login. The address stays, so a login leads back to it. */
export function App() {
  const loginId = useLoginId()
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto">
      <QueryClientProvider client={queryClient}>
        {/* No state of one user's pages is kept for the next one, who may have logged in in another tab. */}
        {loginId === undefined ? <LoginPage /> : <RouterProvider key={loginId} router={router} />}
      </QueryClientProvider>
    </MantineProvider>
  )
}
