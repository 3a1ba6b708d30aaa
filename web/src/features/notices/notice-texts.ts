import type { Audience } from "#/domain/permissions";
import { key, type TextKey } from "#/i18n/key";

export interface NoticeText {
  title: TextKey;
  text: TextKey;
  /** The action, if there is one. */
  action?: { to: "/profile" | "/employees"; label: TextKey };
}

const changePassword = { to: "/profile", label: key("notices.changePassword") } as const;

/** Only owners and managers have a second factor. */
const checkFactor = { to: "/profile", label: key("second-factor.notices.look") } as const;

/** The texts of notices. Operators can't change a password, so theirs name the manager. */
export function noticeText(kind: string, audience: Audience): NoticeText | null {
  const manages = audience === "manager";
  switch (kind) {
    case "password_recovered":
      return {
        title: key("notices.recovered.title"),
        text: key("notices.recovered.text"),
        ...(manages && { action: changePassword }),
      };
    case "password_set_by_owner":
      return manages
        ? {
            title: key("notices.passwordSet.title"),
            text: key("notices.passwordSet.text"),
            action: { to: "/profile", label: key("notices.passwordSet.action") },
          }
        : {
            title: key("notices.passwordSet.operatorTitle"),
            text: key("notices.passwordSet.operatorText"),
          };
    case "operator_sign_ins_blocked":
      return {
        title: key("notices.blocked.title"),
        text: key("notices.blocked.text"),
        ...(manages && { action: { to: "/employees", label: key("notices.blocked.action") } }),
      };
    case "session_reused":
      return manages
        ? {
            title: key("notices.reused.title"),
            text: key("notices.reused.text"),
            action: changePassword,
          }
        : { title: key("notices.reused.title"), text: key("notices.reused.operatorText") };
    case "second_factor_off":
      return {
        title: key("second-factor.notices.off.title"),
        text: key("second-factor.notices.off.text"),
        action: checkFactor,
      };
    case "second_factor_reset":
      return {
        title: key("second-factor.notices.reset.title"),
        text: key("second-factor.notices.reset.text"),
        action: checkFactor,
      };
    case "passkey_added":
      return {
        title: key("second-factor.notices.passkey.title"),
        text: key("second-factor.notices.passkey.text"),
        action: checkFactor,
      };
    case "recovery_code_used":
      return {
        title: key("second-factor.notices.recovery.title"),
        text: key("second-factor.notices.recovery.text"),
        action: checkFactor,
      };
    // A kind of a newer server, without a text.
    default:
      return null;
  }
}
