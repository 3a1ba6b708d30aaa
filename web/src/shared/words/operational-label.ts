import type { TFunction } from "i18next";
import type { OperationalWord } from "#/domain/equipment-words";

export function operationalLabel(t: TFunction, status: OperationalWord): string {
  switch (status) {
    case "in_use":
      return t("equipment.operational.inUse");
    case "standing":
      return t("equipment.operational.standing");
    case "in_shop":
      return t("equipment.operational.inShop");
    case "out_of_service":
      return t("equipment.operational.outOfService");
  }
}
