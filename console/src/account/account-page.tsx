import { Alert, Button, Card, Group, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { ask } from '../api/request.ts'
import { type Texts, useTexts } from '../language/language.ts'
import { sessionQuery } from '../session/use-session.ts'
import { ErrorAlert } from '../states/error-state.tsx'

const EMPTY = { currentPassword: '', newPassword: '', repeated: '' }

/** The logged-in user, and the change of the password. */
export function AccountPage() {
  const texts = useTexts('account')
  const { data: session } = useQuery(sessionQuery)
  const [given, setGiven] = useState(EMPTY)
  const { currentPassword, newPassword, repeated } = given
  const change = useMutation({
    mutationFn: () => ask('POST /auth/password', { body: { currentPassword, newPassword } }),
    onSuccess: () => setGiven(EMPTY),
  })
  const isDifferent = repeated !== '' && repeated !== newPassword
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isDifferent) change.mutate()
  }
  const field = (name: keyof typeof EMPTY) => ({
    label: texts[name],
    required: true,
    value: given[name],
    onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
      setGiven({ ...given, [name]: event.currentTarget.value }),
  })
  const reason = change.error ? passwordReason(change.error, texts) : undefined
  return (
    <Stack p="md" gap="sm" maw={560}>
      <Title order={1} fz="h2">
        {texts.title}
      </Title>
      {session && <Text c="dimmed">{`${session.name} · ${session.account.name}`}</Text>}
      <Card withBorder component="section" aria-labelledby="password-title">
        <form onSubmit={submit}>
          {/* So that password managers know whose password it is. */}
          <input type="text" autoComplete="username" value={session?.name ?? ''} readOnly hidden />
          <Stack>
            <Title order={2} fz="h4" id="password-title">
              {texts.passwordTitle}
            </Title>
            <Text c="dimmed" fz="sm">
              {texts.passwordHint}
            </Text>
            <PasswordInput {...field('currentPassword')} autoComplete="current-password" />
            <PasswordInput {...field('newPassword')} autoComplete="new-password" />
            <PasswordInput
              {...field('repeated')}
              autoComplete="new-password"
              error={isDifferent ? texts.different : undefined}
            />
            {reason === undefined ? (
              <ErrorAlert error={change.error} />
            ) : (
              <Alert color="red" role="alert">
                {reason}
              </Alert>
            )}
            {change.isSuccess && (
              <Alert color="teal" role="status">
                {texts.changed}
              </Alert>
            )}
            <Group justify="flex-end">
              <Button type="submit" loading={change.isPending}>
                {texts.change}
              </Button>
            </Group>
          </Stack>
        </form>
      </Card>
    </Stack>
  )
}

/** Why the password was not changed, in the person's language; undefined where only the service knows. */
export function passwordReason(error: Error, texts: Texts<'account'>): string | undefined {
  if (!(error instanceof ApiError)) return undefined
  if (error.status === 429) return texts.tooMany(error.retryAfterS ?? 60)
  if (error.status !== 400) return undefined
  if (error.message.startsWith('currentPassword')) return texts.wrong
  if (/12 characters/.test(error.message)) return texts.tooShort
  if (/too easy/.test(error.message)) return texts.tooEasy
  return /e-mail/.test(error.message) ? texts.hasEmail : undefined
}
