import { Alert, Button, Card, Center, Code, Group, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { ApiError } from '../api/api-error.ts'
import { type Texts, useTexts } from '../language/language.ts'
import { Preferences } from '../shell/preferences.tsx'
import { logIn } from './session.ts'

const MAKE_A_LOGIN = 'npx tacho user create'

export function LoginPage() {
  const texts = useTexts('login')
  const form = useForm({ initialValues: { email: '', password: '' } })
  const { email, password } = form.values
  const login = useMutation({ mutationFn: () => logIn(email.trim(), password) })
  return (
    <Center component="main" mih="100dvh" p="md">
      <Stack w="100%" maw={400}>
        <Group justify="space-between">
          <Group gap="xs">
            <img src="/icon.svg" alt="" width={36} height={36} />
            <Text fw={700} fz={24}>
              Tacho
            </Text>
          </Group>
          <Group gap="xs">
            <Preferences />
          </Group>
        </Group>
        <Card withBorder padding="xl">
          <form onSubmit={form.onSubmit(() => login.mutate())}>
            <Stack>
              <Title order={1} fz="h3">
                {texts.title}
              </Title>
              <TextInput
                label={texts.email}
                type="email"
                autoComplete="username"
                required
                autoFocus
                {...form.getInputProps('email')}
              />
              <PasswordInput
                label={texts.password}
                autoComplete="current-password"
                required
                {...form.getInputProps('password')}
              />
              {login.error && (
                <Alert color="red" role="alert">
                  {reasonOf(login.error, texts)}
                </Alert>
              )}
              <Button type="submit" loading={login.isPending}>
                {texts.logIn}
              </Button>
            </Stack>
          </form>
        </Card>
        <Text c="dimmed" fz="sm" ta="center">
          {texts.noLogin} <Code>{MAKE_A_LOGIN}</Code>
        </Text>
      </Stack>
    </Center>
  )
}

function reasonOf(error: Error, texts: Texts<'login'>): string {
  if (!(error instanceof ApiError)) return error.message
  if (error.status === 0 || error.status === 503) return texts.unreachable
  if (error.status === 400) return texts.wrong
  if (error.status === 429) return texts.tooMany(error.retryAfterS ?? 60)
  return error.message
}
