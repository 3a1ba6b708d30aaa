import { Link } from "@tanstack/react-router";
import {
  KeyRound,
  Mail,
  MailCheck,
  ShieldAlert,
  ShieldCheck,
  UserRoundCheck,
  type LucideIcon,
} from "lucide-react";
import { Suspense, useEffect, useId, useRef, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import type { User } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { NotificationsService } from "#/api/gen/hourmeter/notifications/v1/notifications_pb";
import { useWrite } from "#/shared/form/use-write";
import { lazyLoaded } from "#/shared/lazy-loaded";
import { toast } from "#/shared/toast/store";
import { Button } from "#/shared/ui/button";
import { Card } from "#/shared/ui/card";
import { useScrollToHash } from "#/shared/ui/use-scroll-to-hash";
import { PasswordForm } from "./password-form";
import { roleWord } from "./person";
import { useOwnMail } from "./use-own-mail";

const SecondFactorCard = lazyLoaded(() =>
  import("./second-factor/second-factor-card").then((module) => module.SecondFactorCard),
);

const securityId = "security";

export function SecurityCard({ user }: { user: User }) {
  const { t } = useTranslation();
  const owns = roleWord(user.role) === "owner";
  useScrollToHash(securityId);
  return (
    <>
      <Card id={securityId} title={t("profile.security.title")} flush>
        <div className="divide-y divide-line border-t border-line">
          <Row
            icon={UserRoundCheck}
            title={t("profile.signIn.title")}
            text={
              <>
                {owns ? t("profile.signIn.owner") : t("profile.signIn.manager")}{" "}
                {t("profile.signIn.case")}
              </>
            }
          />
          {user.email !== undefined && <Email email={user.email} user={user} />}
          <Password signInName={user.email ?? ""} />
          <Questions set={user.securityQuestionsSet} verified={user.emailVerified} />
        </div>
      </Card>
      <Suspense>
        <SecondFactorCard />
      </Suspense>
    </>
  );
}

function Row({
  icon: Icon,
  title,
  text,
  control,
  children,
}: {
  icon: LucideIcon;
  title: string;
  text: ReactNode;
  control?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <div className="px-4 py-4 md:px-5">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <div className="flex min-w-0 flex-1 basis-60 gap-3">
          <Icon aria-hidden className="mt-0.5 size-5 shrink-0 text-accent" />
          <div className="min-w-0">
            <p className="font-semibold">{title}</p>
            <p className="mt-0.5 text-sm text-muted">{text}</p>
          </div>
        </div>
        {control != null && (
          <div className="shrink-0 max-md:w-full max-md:[&>*]:w-full">{control}</div>
        )}
      </div>
      {children}
    </div>
  );
}

function Email({ email, user }: { email: string; user: User }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const mail = useOwnMail(user);
  const verified = user.emailVerified;
  const send = useWrite(NotificationsService.method.sendAddressVerification, {
    onSuccess: ({ sandbox }) =>
      mail.toastSent(
        sandbox,
        t("profile.verification.sent"),
        t("profile.verification.sentText", { email }),
      ),
    onError: (error) => toast.failure(t("profile.verification.failed"), errorText(error)),
  });
  return (
    <Row
      icon={verified ? MailCheck : Mail}
      title={t("profile.verification.title")}
      text={t(verified ? "profile.verification.verified" : "profile.verification.unverified", {
        email,
      })}
      control={
        !verified && (
          <Button
            onClick={() => mail.request(() => send.mutate({}))}
            pending={mail.preparing || send.isPending}
            pendingLabel={t("profile.verification.sending")}
          >
            {t("profile.verification.send")}
          </Button>
        )
      }
    />
  );
}

function Password({ signInName }: { signInName: string }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const formId = useId();
  const toggle = useRef<HTMLButtonElement>(null);
  const opened = useRef(false);
  useEffect(() => {
    if (!open && opened.current) toggle.current?.focus();
    opened.current = open;
  }, [open]);
  return (
    <Row
      icon={KeyRound}
      title={t("profile.password.title")}
      text={t("profile.password.text")}
      control={
        <Button
          ref={toggle}
          aria-expanded={open}
          aria-controls={formId}
          onClick={() => setOpen(!open)}
        >
          {t("profile.password.open")}
        </Button>
      }
    >
      <div id={formId} className={open ? "mt-5" : undefined}>
        {open && <PasswordForm signInName={signInName} onClose={() => setOpen(false)} />}
      </div>
    </Row>
  );
}

function Questions({ set, verified }: { set: boolean; verified: boolean }) {
  const { t } = useTranslation();
  const without = verified ? t("profile.questions.byMail") : t("profile.questions.warning");
  return (
    <Row
      icon={set ? ShieldCheck : ShieldAlert}
      title={t("profile.questions.title")}
      text={
        <>
          <span className="font-semibold text-ink">
            {set ? t("profile.questions.set") : t("profile.questions.notSet")}
          </span>{" "}
          {set ? t("profile.questions.text") : without}
        </>
      }
      control={
        <Button asChild variant={set ? "secondary" : "primary"}>
          <Link to="/security-questions">
            {set ? t("profile.questions.change") : t("profile.questions.setUp")}
          </Link>
        </Button>
      }
    />
  );
}
