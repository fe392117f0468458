package check

import (
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

func TestKustomizeBuildsAllObjects(t *testing.T) {
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), "../kubernetes")
	if err != nil {
		t.Fatal(err)
	}
	if built.Size() != 10 {
		t.Errorf("built %d objects", built.Size())
	}
	for _, object := range built.Resources() {
		if object.GetKind() != "Namespace" && object.GetNamespace() != "set" {
			t.Errorf("%s %s is in namespace %q", object.GetKind(), object.GetName(), object.GetNamespace())
		}
		if object.GetLabels()["app.kubernetes.io/part-of"] != "set-match" {
			t.Errorf("%s %s has labels %v", object.GetKind(), object.GetName(), object.GetLabels())
		}
	}
	text, err := built.AsYaml()
	if err != nil {
		t.Fatal(err)
	}
	for _, image := range []string{"image: set-match:0.1.0", "image: set-nakama:0.1.0"} {
		if strings.Count(string(text), image) != 1 {
			t.Errorf("%s does not occur exactly once", image)
		}
	}
}
