import { useRouter } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useSession } from "#/session/session";
import { Card } from "#/shared/ui/card";
import { PageHeader } from "#/shared/ui/page-header";
import { PasswordForm } from "./password-form";

/** Changes the password of support staff, who have no profile. */
export function OwnPasswordPage() {
  const { t } = useTranslation();
  const router = useRouter();
  const user = useSession();
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader title={t("shell.titles.password")} description={t("profile.password.text")} />
      <Card>
        <PasswordForm
          signInName={user?.email ?? ""}
          onClose={() => void router.navigate({ to: "/" })}
        />
      </Card>
    </div>
  );
}
