import { PasswordInput, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { queryClient } from '../api/query-client.ts'
import { ask } from '../api/request.ts'
import type { User } from '../api/schema.ts'
import type { Permission } from '../api/types.ts'
import { Dialog } from '../dialog/dialog.tsx'
import { FormButtons } from '../dialog/form-buttons.tsx'
import { useTexts } from '../language/language.ts'
import { KeysOfUser, takeOver, useKeysOf } from './keys-of-user.tsx'
import { PermissionChoice } from './permission-choice.tsx'
import { keysQuery, usersQuery } from './queries.ts'
import { permissionsOf } from './roles.ts'

interface UserDialogProps {
  /** Whom to change; undefined: a new one is added. */
  readonly user: User | undefined
  readonly onClose: () => void
}

export function UserDialog({ user, onClose }: UserDialogProps) {
  const texts = useTexts('administration')
  const [email, setEmail] = useState(user?.email ?? '')
  const [password, setPassword] = useState('')
  const [permissions, setPermissions] = useState<readonly Permission[]>(user?.permissions ?? permissionsOf('manager'))
  const keys = useKeysOf(user?.id)
  const [isTakenOver, setTakenOver] = useState(false)
  const losesRight = user !== undefined && !permissions.includes('administration')
  const save = useMutation({
    mutationFn: async () => {
      if (losesRight && isTakenOver) await takeOver(keys)
      return user
        ? ask('PATCH /admin/users/{id}', {
            path: { id: user.id },
            body: { permissions: [...permissions], ...(password ? { password } : {}) },
          })
        : ask('POST /admin/users', { body: { email: email.trim(), password, permissions: [...permissions] } })
    },
    onSuccess: () => {
      for (const { queryKey } of [usersQuery, keysQuery]) void queryClient.invalidateQueries({ queryKey })
      void queryClient.invalidateQueries({ queryKey: ['session'] })
      onClose()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <Dialog title={user ? texts.changeUser(user.email) : texts.addUser} onClose={onClose}>
      <form onSubmit={submit}>
        <Stack>
          {!user && (
            <TextInput
              label={texts.email}
              type="email"
              autoComplete="off"
              required
              value={email}
              onChange={event => setEmail(event.currentTarget.value)}
            />
          )}
          <PasswordInput
            label={user ? texts.newPassword : texts.password}
            description={user ? `${texts.passwordRule} ${texts.unchanged}` : texts.passwordRule}
            autoComplete="new-password"
            required={!user}
            value={password}
            onChange={event => setPassword(event.currentTarget.value)}
          />
          <PermissionChoice value={permissions} onChange={setPermissions} />
          {losesRight && <KeysOfUser keys={keys} isTakenOver={isTakenOver} onChange={setTakenOver} />}
          <FormButtons error={save.error} isPending={save.isPending} onCancel={onClose} />
        </Stack>
      </form>
    </Dialog>
  )
}
