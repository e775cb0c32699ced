"""The manifests: what Kubernetes' own schemas allow, whole, and what fits together."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from tests.deploy.topology import DEPLOY, variables
from tests.servers import required_program

FOLDER: Final = DEPLOY / "kubernetes"
OVERLAYS: Final = ("base", "exposed")
VALIDATE: Final = Path(sys.executable).parent / "kubernetes-validate"
KUBECTL: Final = Path("/usr/bin/kubectl")
VERSIONS: Final = ("1.31", "1.37")
LISTS: Final = ("resources", "patches")


def kustomization(overlay: str) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load((FOLDER / overlay / "kustomization.yaml").read_text())
    return content


def listed(overlay: str) -> list[str]:
    content = kustomization(overlay)
    return [*content["resources"], *(patch["path"] for patch in content.get("patches", []))]


def resources(overlay: str) -> dict[str, dict[str, Any]]:
    """What an overlay brings of its own, by kind and name; a patch is not whole."""
    return {
        f"{content['kind']}/{content['metadata']['name']}": content
        for path in kustomization(overlay)["resources"]
        if (FOLDER / overlay / path).is_file()
        for content in yaml.safe_load_all((FOLDER / overlay / path).read_text())
    }


BASE: Final = resources("base")
DEPLOYMENT: Final = BASE["Deployment/referee"]["spec"]
POD: Final = DEPLOYMENT["template"]["spec"]
[CONTAINER] = POD["containers"]


def validate(files: list[Path], version: str) -> None:
    words: list[str | Path] = [VALIDATE, "--strict", "--quiet", "--kubernetes-version", version, *files]
    run = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert (run.returncode, run.stdout) == (0, ""), run.stdout + run.stderr


@pytest.mark.parametrize("version", VERSIONS)
def test_resources_are_what_the_schemas_allow(version: str) -> None:
    whole = [FOLDER / overlay / path for overlay in OVERLAYS for path in kustomization(overlay)["resources"]]
    validate([path for path in [*whole, FOLDER / "secrets.example.yaml"] if path.is_file()], version)


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_every_file_is_listed_and_every_listed_one_is_there(overlay: str) -> None:
    files = {path.name for path in (FOLDER / overlay).iterdir()} - {"kustomization.yaml"}
    assert {path for path in listed(overlay) if path != "../base"} == files


def test_patches_are_of_what_there_is() -> None:
    for patch in kustomization("exposed")["patches"]:
        content = yaml.safe_load((FOLDER / "exposed" / patch["path"]).read_text())
        assert f"{content['kind']}/{content['metadata']['name']}" in BASE


@pytest.mark.skipif(not KUBECTL.exists(), reason=f"there is no {KUBECTL}; the lists of files are checked without it")
@pytest.mark.parametrize("overlay", OVERLAYS)
def test_what_kustomize_builds_is_what_the_schemas_allow(overlay: str, tmp_path: Path) -> None:
    words = (required_program(str(KUBECTL), "kubectl"), "kustomize", FOLDER / overlay)
    built = tmp_path / "built.yaml"
    built.write_bytes(subprocess.run(words, capture_output=True, timeout=60, check=True).stdout)
    validate([built], VERSIONS[-1])
    contents = list(yaml.safe_load_all(built.read_text()))
    assert {content["metadata"].get("namespace", "artreferee") for content in contents} == {"artreferee"}
    [deployment] = [content for content in contents if content["kind"] == "Deployment"]
    [container] = deployment["spec"]["template"]["spec"]["containers"]
    assert container["image"] == "artreferee:0.1.0"
    mounted = {mount["mountPath"] for mount in container["volumeMounts"]}
    assert mounted == {"/secrets/redis"} | ({"/secrets/tls", "/secrets/operators"} if overlay == "exposed" else set())


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_settings_exist_and_their_files_are_mounted(overlay: str) -> None:
    """In the exposed form the patches bring both."""
    configuration = yaml.safe_load((FOLDER / overlay / "configuration.yaml").read_text())["data"]
    deployment = yaml.safe_load((FOLDER / overlay / "deployment.yaml").read_text())
    pod = deployment["spec"]["template"]["spec"]
    [container] = pod["containers"]
    assert configuration.keys() <= variables()
    folders = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}
    assert {str(Path(value).parent) for value in configuration.values() if value.startswith("/")} == folders.keys()
    secrets = {volume["name"]: volume["secret"]["secretName"] for volume in pod["volumes"]}
    examples = {secret["metadata"]["name"]: secret["stringData"] for secret in _examples()}
    for value in configuration.values():
        if value.startswith("/"):
            path = Path(value)
            assert path.name in examples[secrets[folders[str(path.parent)]]]


def _examples() -> Iterator[dict[str, Any]]:
    yield from yaml.safe_load_all((FOLDER / "secrets.example.yaml").read_text())


def test_secrets_are_not_among_what_is_applied() -> None:
    assert [name for overlay in OVERLAYS for name in resources(overlay) if name.startswith("Secret/")] == []


def test_everything_is_about_the_same_pods() -> None:
    labels = DEPLOYMENT["template"]["metadata"]["labels"]
    exposed = resources("exposed")
    assert DEPLOYMENT["selector"]["matchLabels"] == labels
    assert BASE["Service/referee"]["spec"]["selector"] == labels
    assert exposed["Service/referee-exposed"]["spec"]["selector"] == labels
    assert BASE["PodDisruptionBudget/referee"]["spec"]["selector"]["matchLabels"] == labels
    for policy in (BASE["NetworkPolicy/referee"], exposed["NetworkPolicy/referee-exposed"]):
        assert policy["spec"]["podSelector"]["matchLabels"] == labels
    target = BASE["HorizontalPodAutoscaler/referee"]["spec"]["scaleTargetRef"]
    assert (target["kind"], target["name"]) == ("Deployment", BASE["Deployment/referee"]["metadata"]["name"])
    assert CONTAINER["envFrom"] == [{"configMapRef": {"name": BASE["ConfigMap/referee"]["metadata"]["name"]}}]


def test_ports_are_those_that_the_referee_listens_on() -> None:
    settings = BASE["ConfigMap/referee"]["data"]
    ports = {port["name"]: port["containerPort"] for port in CONTAINER["ports"]}
    assert settings["REFEREE_LISTEN"] == f"0.0.0.0:{ports['grpc']}"
    assert settings["REFEREE_METRICS"] == f"0.0.0.0:{ports['metrics']}"
    services = (BASE["Service/referee"], resources("exposed")["Service/referee-exposed"])
    assert {port["targetPort"] for service in services for port in service["spec"]["ports"]} == ports.keys()
    probes = [CONTAINER[f"{kind}Probe"]["httpGet"] for kind in ("startup", "readiness", "liveness")]
    assert probes == [
        {"path": "/healthz", "port": "metrics"},
        {"path": "/readyz", "port": "metrics"},
        {"path": "/healthz", "port": "metrics"},
    ]


def test_a_rolling_update_gives_every_drain_its_time_and_takes_no_referee_away_before_another_is_there() -> None:
    [_, wait] = CONTAINER["lifecycle"]["preStop"]["exec"]["command"]
    drain = BASE["ConfigMap/referee"]["data"]["REFEREE_DRAIN"]
    assert int(wait) + int(drain) < POD["terminationGracePeriodSeconds"]
    assert DEPLOYMENT["strategy"]["rollingUpdate"] == {"maxSurge": 1, "maxUnavailable": 0}
    assert "replicas" not in DEPLOYMENT  # or each apply would undo the scaling
    assert BASE["HorizontalPodAutoscaler/referee"]["spec"]["minReplicas"] >= 2
