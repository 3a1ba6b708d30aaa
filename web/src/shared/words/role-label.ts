import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import type { Role } from "#/domain/permissions";

export function useRoleLabel(): (role: Role) => string {
  const { t } = useTranslation();
  return useCallback(
    (role) => {
      switch (role) {
        case "owner":
          return t("common.roles.owner");
        case "manager":
          return t("common.roles.manager");
        case "operator":
          return t("common.roles.operator");
        case "support":
          return t("common.roles.support");
      }
    },
    [t],
  );
}
