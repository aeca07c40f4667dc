import { Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { queryClient } from '../api/query-client.ts'
import { ask } from '../api/request.ts'
import type { User } from '../api/schema.ts'
import { Dialog } from '../dialog/dialog.tsx'
import { FormButtons } from '../dialog/form-buttons.tsx'
import { useTexts } from '../language/language.ts'
import { KeysOfUser, takeOver, useKeysOf } from './keys-of-user.tsx'
import { keysQuery, usersQuery } from './queries.ts'

interface RemoveUserDialogProps {
  readonly user: User
  readonly onClose: () => void
}

/** Asks before a user is removed, and what becomes of the keys that the user made. */
export function RemoveUserDialog({ user, onClose }: RemoveUserDialogProps) {
  const texts = useTexts('administration')
  const keys = useKeysOf(user.id)
  const [isTakenOver, setTakenOver] = useState(false)
  const remove = useMutation({
    mutationFn: async () => {
      // First, so that they never stop.
      if (isTakenOver) await takeOver(keys)
      await ask('DELETE /admin/users/{id}', { path: { id: user.id } })
    },
    onSuccess: async () => {
      await Promise.all([usersQuery, keysQuery].map(({ queryKey }) => queryClient.invalidateQueries({ queryKey })))
      onClose()
    },
  })
  return (
    <Dialog title={texts.removeUser(user.email)} onClose={onClose}>
      <Stack>
        <Text>{texts.removeUserHint}</Text>
        <KeysOfUser keys={keys} isTakenOver={isTakenOver} onChange={setTakenOver} />
        <FormButtons
          error={remove.error}
          isPending={remove.isPending}
          onCancel={onClose}
          action={texts.remove}
          onAction={() => remove.mutate()}
          isDanger
        />
      </Stack>
    </Dialog>
  )
}
