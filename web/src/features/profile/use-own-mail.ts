import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTransition } from "react";
import { useTranslation } from "react-i18next";
import { Language, Role, type User } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { currentLanguage } from "#/i18n";
import { saveLanguage } from "#/session/save-language";
import { toast } from "#/shared/toast/store";

/** For mail that people request for themselves. */
export function useOwnMail(user: User) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const client = useQueryClient();
  const [preparing, prepare] = useTransition();
  return {
    preparing,
    /** Mail has the language of these screens, unless the person chose another one before. */
    request: (send: () => void) =>
      prepare(async () => {
        if (user.language === Language.UNSPECIFIED) {
          await saveLanguage(client, currentLanguage()).catch(() => undefined);
        }
        send();
      }),
    /** The mail of a sandbox is in a mailbox that only the owner can open. */
    toastSent: (sandbox: boolean, title: string, text?: string) => {
      const mailbox = {
        label: t("profile.verification.mailbox"),
        run: () => void navigate({ to: "/sandbox/mail" }),
      };
      toast.success(title, text, sandbox && user.role === Role.OWNER ? mailbox : undefined);
    },
  };
}
