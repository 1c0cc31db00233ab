package kubernetes

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

// Each object in each file is one of those that the tests here look at.
func TestManifestsAreRead(t *testing.T) {
	kinds := map[string][]string{}
	for _, file := range must(files.ReadDir(".")) {
		for _, document := range must(Documents(file.Name())) {
			var is metav1.TypeMeta
			require.NoError(t, yaml.Unmarshal(document, &is))
			kinds[file.Name()] = append(kinds[file.Name()], is.APIVersion+" "+is.Kind)
		}
	}
	require.Equal(t, map[string][]string{
		"cluster.yaml": {"v1 ServiceAccount", "rbac.authorization.k8s.io/v1 Role",
			"rbac.authorization.k8s.io/v1 RoleBinding", "apps/v1 Deployment"},
		"deployment.yaml":  {"apps/v1 Deployment", "v1 Service"},
		"statefulset.yaml": {"apps/v1 StatefulSet", "v1 Service"},
		"cronjob.yaml":     {"batch/v1 CronJob", "v1 PersistentVolumeClaim"},
	}, kinds)
}

func TestDeploymentManifest(t *testing.T) {
	d := must(Read[appsv1.Deployment]("deployment.yaml", "Deployment"))
	require.Equal(t, d.Spec.Selector.MatchLabels, d.Spec.Template.Labels)
	served(t, d.Spec.Template.Spec, must(Read[corev1.Service]("deployment.yaml", "Service")), d.Spec.Template.Labels)

	secret := variable(t, d.Spec.Template.Spec.Containers[0], "UID_MYSQL_DSN")
	require.Empty(t, secret.Value)
	require.NotNil(t, secret.ValueFrom.SecretKeyRef, "a DSN has a password")
}

func TestClusterManifest(t *testing.T) {
	account := must(Read[corev1.ServiceAccount]("cluster.yaml", "ServiceAccount"))
	binding := must(Read[rbacv1.RoleBinding]("cluster.yaml", "RoleBinding"))
	require.Equal(t, must(Read[rbacv1.Role]("cluster.yaml", "Role")).Name, binding.RoleRef.Name)
	require.Equal(t, account.Name, binding.Subjects[0].Name)
	d := must(Read[appsv1.Deployment]("cluster.yaml", "Deployment"))
	require.Equal(t, d.Spec.Selector.MatchLabels, d.Spec.Template.Labels)
	pod := d.Spec.Template.Spec
	require.Equal(t, account.Name, pod.ServiceAccountName)
	require.Nil(t, pod.AutomountServiceAccountToken, "the token is mounted")
	pod.AutomountServiceAccountToken = new(bool)
	runs(t, pod)
}

func TestStatefulSetManifest(t *testing.T) {
	s := must(Read[appsv1.StatefulSet]("statefulset.yaml", "StatefulSet"))
	require.Equal(t, s.Spec.Selector.MatchLabels, s.Spec.Template.Labels)
	service := must(Read[corev1.Service]("statefulset.yaml", "Service"))
	require.Equal(t, service.Name, s.Spec.ServiceName)
	require.Equal(t, corev1.ClusterIPNone, service.Spec.ClusterIP)
	pod := s.Spec.Template.Spec
	served(t, pod, service, s.Spec.Template.Labels)

	ordinal := variable(t, pod.Containers[0], "UID_WORKER_ID")
	require.Equal(t, "metadata.labels['"+appsv1.PodIndexLabel+"']", ordinal.ValueFrom.FieldRef.FieldPath)
	require.Len(t, s.Spec.VolumeClaimTemplates, 1)
	claim := s.Spec.VolumeClaimTemplates[0]
	onVolume(t, pod, claim.Name)
	require.Equal(t, []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOncePod}, claim.Spec.AccessModes)
	policy := s.Spec.PersistentVolumeClaimRetentionPolicy
	require.Equal(t, appsv1.RetainPersistentVolumeClaimRetentionPolicyType, policy.WhenScaled)
	require.Equal(t, appsv1.RetainPersistentVolumeClaimRetentionPolicyType, policy.WhenDeleted)
}

func TestCronJobManifest(t *testing.T) {
	c := must(Read[batchv1.CronJob]("cronjob.yaml", "CronJob"))
	claim := must(Read[corev1.PersistentVolumeClaim]("cronjob.yaml", "PersistentVolumeClaim"))
	require.Equal(t, batchv1.ForbidConcurrent, c.Spec.ConcurrencyPolicy)
	pod := c.Spec.JobTemplate.Spec.Template.Spec
	confined(t, pod)
	require.ElementsMatch(t, variables("cron"), names(pod.Containers[0]))
	require.NotEmpty(t, pod.Hostname, "the file is bound to it")
	require.Equal(t, claim.Name, pod.Volumes[0].PersistentVolumeClaim.ClaimName)
	require.Equal(t, []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOncePod}, claim.Spec.AccessModes)
	onVolume(t, pod, pod.Volumes[0].Name)
}

// The two ways to run the service set all variables that the program reads, and no others.
func TestServiceVariables(t *testing.T) {
	d := must(Read[appsv1.Deployment]("deployment.yaml", "Deployment")).Spec.Template.Spec.Containers[0]
	s := must(Read[appsv1.StatefulSet]("statefulset.yaml", "StatefulSet")).Spec.Template.Spec.Containers[0]
	set := append(names(d), names(s)...)
	slices.Sort(set)
	require.ElementsMatch(t, variables("service"), slices.Compact(set))
}

// served checks what the pods of a service have in common.
func served(t *testing.T, pod corev1.PodSpec, service corev1.Service, labels map[string]string) {
	t.Helper()
	c := pod.Containers[0]
	require.Equal(t, labels, service.Spec.Selector)
	require.Equal(t, c.Ports[0].Name, service.Spec.Ports[0].TargetPort.String())
	runs(t, pod)
}

// runs checks how a pod of the service begins and ends.
func runs(t *testing.T, pod corev1.PodSpec) {
	t.Helper()
	confined(t, pod)
	c := pod.Containers[0]
	require.Len(t, c.Ports, 1)
	require.Equal(t, ":"+strconv.Itoa(int(c.Ports[0].ContainerPort)), variable(t, c, "UID_LISTEN").Value)
	for _, probe := range []*corev1.Probe{c.ReadinessProbe, c.LivenessProbe} {
		require.Equal(t, c.Ports[0].Name, probe.HTTPGet.Port.String())
	}

	// A pod is killed when the grace period is over, whatever it does then. Its program may need
	// what its constants say: to start, to drain, to close.
	drain := must(time.ParseDuration(variable(t, c, "UID_DRAIN").Value))
	needs := time.Duration(c.Lifecycle.PreStop.Sleep.Seconds)*time.Second + 10*time.Second + drain + 5*time.Second
	require.Greater(t, time.Duration(*pod.TerminationGracePeriodSeconds)*time.Second, needs)
	// SIGTERM comes when the endpoints have had time to forget the pod.
	require.GreaterOrEqual(t, c.Lifecycle.PreStop.Sleep.Seconds, int64(5))
}

// confined checks that a pod's container may do no more than it has to.
func confined(t *testing.T, pod corev1.PodSpec) {
	t.Helper()
	require.Len(t, pod.Containers, 1)
	require.True(t, *pod.SecurityContext.RunAsNonRoot)
	require.Equal(t, corev1.SeccompProfileTypeRuntimeDefault, pod.SecurityContext.SeccompProfile.Type)
	require.False(t, *pod.AutomountServiceAccountToken)
	is := pod.Containers[0].SecurityContext
	require.True(t, *is.ReadOnlyRootFilesystem)
	require.False(t, *is.AllowPrivilegeEscalation)
	require.Equal(t, []corev1.Capability{"ALL"}, is.Capabilities.Drop)
}

// onVolume checks that the state file lies on the volume, which the container's user may write to.
func onVolume(t *testing.T, pod corev1.PodSpec, volume string) {
	t.Helper()
	c := pod.Containers[0]
	require.Len(t, c.VolumeMounts, 1)
	require.Equal(t, volume, c.VolumeMounts[0].Name)
	require.Equal(t, c.VolumeMounts[0].MountPath, path.Dir(variable(t, c, "UID_STATE_FILE").Value))
	require.Equal(t, *pod.SecurityContext.RunAsUser, *pod.SecurityContext.FSGroup)
}

func variable(t *testing.T, c corev1.Container, name string) corev1.EnvVar {
	t.Helper()
	i := slices.IndexFunc(c.Env, func(v corev1.EnvVar) bool { return v.Name == name })
	require.GreaterOrEqual(t, i, 0, "no such variable: %s", name)
	return c.Env[i]
}

func names(c corev1.Container) (names []string) {
	for _, v := range c.Env {
		names = append(names, v.Name)
	}
	return names
}

// variables returns the environment variables that a program names: its texts that begin with UID_.
func variables(folder string) (names []string) {
	for _, file := range must(filepath.Glob("../" + folder + "/*.go")) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text := string(must(os.ReadFile(file)))
		for _, found := range regexp.MustCompile(`"(UID_[^" ]+)"`).FindAllStringSubmatch(text, -1) {
			names = append(names, found[1])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
