import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { AccountsService } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { updateUser, type User } from "#/session/session";
import { useWrite } from "#/shared/form/use-write";
import { toast } from "#/shared/toast/store";

type Notice = User["notices"][number];

/** Dismisses a notice optimistically; a failed call restores it and shows an error. Stable. */
export function useDismissNotice(): (notice: Notice) => void {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const client = useQueryClient();
  const { mutate } = useWrite(AccountsService.method.dismissNotice);
  return useCallback(
    (notice) => {
      const change = (step: (notices: Notice[]) => Notice[]) =>
        updateUser(client, (user) => ({ ...user, notices: step(user.notices) }));
      change((notices) => notices.filter((each) => each.id !== notice.id));
      mutate(
        { id: notice.id },
        {
          onError: (error) => {
            change((notices) => [...notices.filter((each) => each.id !== notice.id), notice]);
            toast.failure(t("notices.dismissFailed"), errorText(error));
          },
        },
      );
    },
    [client, mutate, t, errorText],
  );
}
